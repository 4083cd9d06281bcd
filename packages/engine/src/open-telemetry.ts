import { createRequire } from 'node:module'
import type * as OpenTelemetryApi from '@opentelemetry/api'

export type OpenTelemetry = typeof OpenTelemetryApi

/** Where an SDK of OpenTelemetry 1.x registers itself, with any copy of the API. */
const REGISTRY = Symbol.for('opentelemetry.js.api.1')

let api: OpenTelemetry | undefined
let isLoading = false

/**
 * OpenTelemetry's API, in a process that has an SDK; undefined in all others, which are spared its
 * sixty files.
 */
export function openTelemetry(): OpenTelemetry | undefined {
  if (api === undefined && !isLoading && REGISTRY in globalThis) load()
  return api
}

function load(): void {
  isLoading = true
  try {
    api = createRequire(import.meta.url)('@opentelemetry/api') as OpenTelemetry
  } catch {
    // A bundle has it inside, where only this finds it; spans begin as soon as it is there. One that has
    // left it out traces nothing.
    import('@opentelemetry/api').then(
      (found) => (api = found),
      () => undefined,
    )
  }
}
