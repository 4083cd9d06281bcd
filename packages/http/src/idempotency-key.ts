import { fingerprint, type KeyedRequest } from '@posthorn/engine/inbox'
import type { FastifyRequest } from 'fastify'
import { callerOf } from './caller.ts'
import { problem } from './problem.ts'

/**
 * The request under its `Idempotency-Key`; undefined without the header. A key belongs to a user and
 * a route; the fingerprint also covers the address with its ids and query.
 */
export function keyedRequest(request: FastifyRequest): KeyedRequest | undefined {
  const key = keyOf(request)
  if (key === undefined) return undefined
  const { org, sub } = callerOf(request)
  const { method, url, body } = request
  return {
    scope: JSON.stringify([org, sub, method, request.routeOptions.config.url]),
    key,
    fingerprint: fingerprint({ method, route: url, body }),
  }
}

/** The same for a route that insists on a key: 400 without one. */
export function requireKey(request: FastifyRequest): KeyedRequest {
  const keyed = keyedRequest(request)
  if (!keyed) throw problem('IDEMPOTENCY_KEY_MISSING')
  return keyed
}

function keyOf({ headers }: FastifyRequest): string | undefined {
  const header = headers['idempotency-key']
  if (header === undefined) return undefined
  // The draft standard writes it as a quoted string; most clients write it bare.
  const key = /^"(.*)"$/.exec(String(header))?.[1] ?? String(header)
  if (/^[\x20-\x7e]{1,255}$/.test(key)) return key
  throw problem('IDEMPOTENCY_KEY_INVALID', {
    detail: 'The key must be 1 to 255 printable ASCII characters.',
    errors: [{ field: 'Idempotency-Key', reason: 'must be 1 to 255 printable ASCII characters' }],
  })
}
