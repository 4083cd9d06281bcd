import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import autocannon from 'autocannon'
import { median, progress } from './harness.ts'
import type { Serving } from './http-server.ts'
import type { Options } from './options.ts'
import type { Server } from './postgres.ts'
import { ratio, type Report } from './report.ts'

const CONNECTIONS = 50
const WARM_UP_SECONDS = 3
const SECONDS = 5

interface Contestant extends Serving {
  readonly name: string
  readonly child: ChildProcess
}

interface Run {
  readonly perSecond: number
  /** Processor time of the server for one request. */
  readonly cpuMicros: number
}

/**
 * A route that answers a constant, behind everything that `createApp` does for a request (token,
 * limits, headers, log, trace), against the same route on Fastify alone. Each server is a process
 * of its own, the load another; they take turns.
 */
export async function http(_server: Server, { rounds }: Options, report: Report): Promise<void> {
  const [bare, posthorn] = await Promise.all([start('bare'), start('posthorn')])
  const runs = new Map<Contestant, Run[]>([
    [bare, []],
    [posthorn, []],
  ])
  try {
    for (const contestant of runs.keys()) await load(contestant, WARM_UP_SECONDS)
    for (let round = 1; round <= rounds; round += 1) {
      for (const [contestant, sofar] of runs) {
        const run = await load(contestant, SECONDS)
        progress(`round ${round} of ${rounds}  ${contestant.name}  ${JSON.stringify(run)}`)
        sofar.push(run)
      }
    }
  } finally {
    for (const { child } of runs.keys()) child.disconnect()
  }
  const middle = (contestant: Contestant, field: keyof Run) =>
    median((runs.get(contestant) ?? []).map((run) => run[field]))
  report.table(
    `one small request, median of ${rounds}`,
    [...runs.keys()].map((contestant) => ({
      name: contestant.name,
      perSecond: middle(contestant, 'perSecond'),
      cpuMicros: middle(contestant, 'cpuMicros'),
    })),
  )
  report.table('ratios', [
    ...ratio(
      'posthorn / bare, requests a second',
      middle(posthorn, 'perSecond'),
      middle(bare, 'perSecond'),
    ),
    // By the servers' own time, which other programs on the machine disturb less.
    ...ratio(
      'bare / posthorn, processor time',
      middle(bare, 'cpuMicros'),
      middle(posthorn, 'cpuMicros'),
    ),
  ])
}

async function start(name: string): Promise<Contestant> {
  const child = fork(new URL('http-server.ts', import.meta.url), [name])
  const [serving] = (await once(child, 'message')) as [Serving]
  return { name, child, ...serving }
}

async function load({ child, url, token }: Contestant, duration: number): Promise<Run> {
  const before = await cpuMicros(child)
  const headers = { authorization: `Bearer ${token}` }
  const result = await autocannon({ url, headers, duration, connections: CONNECTIONS })
  if (result.non2xx > 0 || result.errors > 0) {
    throw new Error(`${result.non2xx} answers were no success, ${result.errors} requests broke`)
  }
  const spent = (await cpuMicros(child)) - before
  return {
    perSecond: Math.round(result.requests.average),
    cpuMicros: Number((spent / result.requests.total).toFixed(1)),
  }
}

async function cpuMicros(child: ChildProcess): Promise<number> {
  child.send('usage')
  const [usage] = (await once(child, 'message')) as [NodeJS.CpuUsage]
  return usage.user + usage.system
}
