import { readdirSync } from 'node:fs'
import type { Log } from '@posthorn/engine'
import type { Report, Usage } from './child.ts'

/** The process that started this one. */
export interface Parent<Settings> {
  readonly settings: Settings & { readonly name: string }
  readonly tell: (report: Report) => void
  /** Resolves when the parent asks us to end. */
  readonly stopped: Promise<void>
}

/** What the parent gave us to do. Without a parent there is nothing to do: its end is ours. */
export function meetParent<Settings>(): Parent<Settings> {
  const stopped = Promise.withResolvers<void>()
  // The channel breaks however the parent dies.
  process.on('disconnect', () => process.exit(1))
  process.on('message', (order) => {
    if (order === 'stop') stopped.resolve()
    if (order === 'measure') process.send?.({ kind: 'usage', ...usage() })
  })
  return {
    settings: JSON.parse(process.argv[2] ?? '{}') as Settings & { name: string },
    tell: (report) => void process.send?.(report),
    stopped: stopped.promise,
  }
}

function usage(): Usage {
  globalThis.gc?.()
  const { heapUsed, rss } = process.memoryUsage()
  return {
    heapBytes: heapUsed,
    residentBytes: rss,
    openFiles: readdirSync('/proc/self/fd').length,
    resources: process.getActiveResourcesInfo().length,
  }
}

/** Writes warnings and errors, one a line, to where the parent keeps our output. */
export function lineLog(name: string): Log {
  const write = (level: string) => (details: object, message: string) => {
    const time = new Date().toISOString()
    console.error(`${time} ${name} ${level} ${message} ${JSON.stringify(details, readable)}`)
  }
  const nothing = () => undefined
  return { debug: nothing, info: write('info'), warn: write('warn'), error: write('error') }
}

function readable(_: string, value: unknown): unknown {
  if (!(value instanceof Error)) return value
  const { message, cause } = value
  return {
    message,
    ...('code' in value && { code: value.code }),
    ...(cause !== undefined && { cause }),
  }
}
