import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { engineMigrations, migrate } from '@posthorn/engine'
import { payments as system } from '@posthorn/systems/payments'
import autocannon from 'autocannon'
import { median, progress } from './harness.ts'
import type { Options } from './options.ts'
import type { Serving } from './payments-server.ts'
import { createDatabase, type Server } from './postgres.ts'
import { ratio, type Report } from './report.ts'

const CONNECTIONS = 20
const WARM_UP_SECONDS = 3
const SLICE_SECONDS = 2
const SLICES_A_ROUND = 6

interface Contestant extends Serving {
  readonly name: string
  readonly child: ChildProcess
  readonly runs: Run[]
}

interface Run {
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** Processor time of the server for one payment. */
  readonly cpuMicros: number
}

/**
 * Payments with a new key each, through the whole system, against a bare Fastify route that writes
 * the same rows and makes the same call to the gateway. Servers, gateway and load are a process
 * each; the servers take turns of two seconds, so that what disturbs the machine disturbs both.
 */
export async function payments(server: Server, { rounds }: Options, report: Report): Promise<void> {
  await using opened = new AsyncDisposableStack()
  const gateway = fork(new URL('payments-gateway.ts', import.meta.url))
  opened.defer(() => gateway.disconnect())
  const [gatewayUrl] = (await once(gateway, 'message')) as [string]
  const bare = await start('bare', { server, gatewayUrl, opened })
  const posthorn = await start('posthorn', { server, gatewayUrl, opened })
  for (const contestant of [bare, posthorn]) await load(contestant, WARM_UP_SECONDS)
  for (let slice = 1; slice <= rounds * SLICES_A_ROUND; slice += 1) {
    for (const contestant of [bare, posthorn]) {
      const run = await measure(contestant)
      progress(`slice ${slice}  ${contestant.name}  ${JSON.stringify(run)}`)
      contestant.runs.push(run)
    }
  }
  report.table(`payments created, median of ${bare.runs.length} slices`, [
    lineOf(bare),
    lineOf(posthorn),
  ])
  const pairs = (field: 'perSecond' | 'cpuMicros') =>
    posthorn.runs.map((run, i) => run[field] / (bare.runs[i]?.[field] ?? Number.NaN))
  report.table('ratios, median of pairs', [
    ...ratio('posthorn / bare, payments a second', median(pairs('perSecond')), 1),
    ...ratio('bare / posthorn, processor time', 1, median(pairs('cpuMicros'))),
  ])
}

interface Surroundings {
  readonly server: Server
  readonly gatewayUrl: string
  readonly opened: AsyncDisposableStack
}

async function start(
  name: string,
  { server, gatewayUrl, opened }: Surroundings,
): Promise<Contestant> {
  const database = await createDatabase(server)
  opened.defer(() => database.drop())
  await migrate(database.pool, [await engineMigrations(), await system.migrations()])
  const script = new URL('payments-server.ts', import.meta.url)
  const child = fork(script, [name, database.url, gatewayUrl])
  opened.defer(async () => {
    child.disconnect()
    await once(child, 'exit')
  })
  const [serving] = (await once(child, 'message')) as [Serving]
  return { name, child, runs: [], ...serving }
}

async function measure(contestant: Contestant): Promise<Run> {
  const before = await cpuMicros(contestant.child)
  const result = await load(contestant, SLICE_SECONDS)
  const spent = (await cpuMicros(contestant.child)) - before
  return {
    perSecond: Math.round(result.requests.average),
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
    cpuMicros: Math.round(spent / result.requests.total),
  }
}

function lineOf({ name, runs }: Contestant) {
  const middle = (field: keyof Run) => median(runs.map((run) => run[field]))
  return {
    name,
    perSecond: middle('perSecond'),
    p50Ms: middle('p50Ms'),
    p99Ms: middle('p99Ms'),
    cpuMicros: middle('cpuMicros'),
  }
}

let keys = 0

async function load({ url, token }: Serving, duration: number) {
  const result = await autocannon({
    url,
    duration,
    connections: CONNECTIONS,
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ amount: 1_999, currency: 'EUR' }),
    requests: [
      {
        setupRequest: (request) => ({
          ...request,
          headers: { ...request.headers, 'idempotency-key': `key-${(keys += 1)}` },
        }),
      },
    ],
  })
  if (result.non2xx > 0 || result.errors > 0) {
    throw new Error(`${result.non2xx} answers were no success, ${result.errors} requests broke`)
  }
  return result
}

async function cpuMicros(child: ChildProcess): Promise<number> {
  child.send('usage')
  const [usage] = (await once(child, 'message')) as [NodeJS.CpuUsage]
  return usage.user + usage.system
}
