import autocannon from 'autocannon'
import type { Child } from './child.ts'
import type { Serving } from './serving.ts'

/** A server in a child process that answers each message with its processor time. */
export interface ServingChild {
  readonly name: string
  readonly child: Child<Serving>
}

export interface RequestRun {
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** Processor time of the server for one request. */
  readonly cpuMicros: number
}

/** Sends requests for so many seconds; an answer that is no success is an error. */
export async function loadRequests(
  { child }: ServingChild,
  { headers, ...options }: Omit<autocannon.Options, 'url'>,
): Promise<RequestRun> {
  const { url, token } = child.said
  const before = await cpuMicros(child)
  const authorized = { authorization: `Bearer ${token}`, ...headers }
  const result = await autocannon({ url, headers: authorized, ...options })
  if (result.non2xx > 0 || result.errors > 0) {
    throw new Error(`${result.non2xx} answers were no success, ${result.errors} requests broke`)
  }
  const spent = (await cpuMicros(child)) - before
  return {
    perSecond: Math.round(result.requests.average),
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
    cpuMicros: Number((spent / result.requests.total).toFixed(1)),
  }
}

async function cpuMicros(child: Child<Serving>): Promise<number> {
  const { user, system } = await child.ask<NodeJS.CpuUsage>('usage')
  return user + system
}
