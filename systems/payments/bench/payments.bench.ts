import { engineMigrations, migrate } from '@posthorn/engine'
import { payments as system } from '../index.ts'
import { startChild } from '../../../bench/kit/child.ts'
import { median, progress } from '../../../bench/kit/harness.ts'
import type { Options } from '../../../bench/kit/options.ts'
import { createDatabase, type Server } from '../../../bench/kit/postgres.ts'
import { ratio, type Report } from '../../../bench/kit/report.ts'
import {
  loadRequests,
  type RequestRun,
  type ServingChild,
} from '../../../bench/kit/request-load.ts'
import type { Serving } from '../../../bench/kit/serving.ts'

const CONNECTIONS = 20
const WARM_UP_SECONDS = 3
const SLICE_SECONDS = 2
const SLICES_A_ROUND = 6

interface Contestant extends ServingChild {
  readonly runs: RequestRun[]
}

/**
 * Payments with a new key each, through the whole system, against a bare Fastify route that writes
 * the same rows and makes the same call to the gateway. Servers, gateway and load are a process
 * each; the servers take turns of two seconds, so that what disturbs the machine disturbs both.
 */
export async function runBench(server: Server, { rounds }: Options, report: Report): Promise<void> {
  await using opened = new AsyncDisposableStack()
  const gateway = await startChild<string>(new URL('gateway-process.ts', import.meta.url))
  const { said: gatewayUrl } = opened.use(gateway)
  const bare = await start('bare', { server, gatewayUrl, opened })
  const posthorn = await start('posthorn', { server, gatewayUrl, opened })
  for (const contestant of [bare, posthorn]) await load(contestant, WARM_UP_SECONDS)
  for (let slice = 1; slice <= rounds * SLICES_A_ROUND; slice += 1) {
    for (const contestant of [bare, posthorn]) {
      const run = await load(contestant, SLICE_SECONDS)
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
  const script = new URL('payments-process.ts', import.meta.url)
  const child = opened.use(await startChild<Serving>(script, [name, database.url, gatewayUrl]))
  return { name, child, runs: [] }
}

function lineOf({ name, runs }: Contestant) {
  const middle = (field: keyof RequestRun) => median(runs.map((run) => run[field]))
  return {
    name,
    perSecond: middle('perSecond'),
    p50Ms: middle('p50Ms'),
    p99Ms: middle('p99Ms'),
    cpuMicros: middle('cpuMicros'),
  }
}

let keys = 0

function load(contestant: Contestant, duration: number): Promise<RequestRun> {
  return loadRequests(contestant, {
    duration,
    connections: CONNECTIONS,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
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
}
