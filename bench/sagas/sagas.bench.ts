import { Pool } from 'pg'
import { dbosTransact, posthornSagas, type SagaContestant } from './contestants.ts'
import { inTurns, median, select, withOpen } from '../kit/harness.ts'
import type { Options } from '../kit/options.ts'
import { rest, walBytesSince, walPosition, type Database, type Server } from '../kit/postgres.ts'
import { ratio, round, type Report } from '../kit/report.ts'

const SAGAS = 10_000

/** The default of DBOS. */
const CONNECTIONS = 10

interface Run {
  readonly perSecond: number
  readonly statements: number
  readonly walBytes: number
  readonly ms: number
}

/** 10,000 durable sagas of four steps at once: how fast they all end, and what one costs. */
export async function runBench(server: Server, options: Options, report: Report): Promise<void> {
  const { rounds, only } = options
  const forms = [
    { starts: 'one by one', sends: 'nothing', steps: 'straight' },
    { starts: 'in bulk', sends: 'nothing', steps: 'straight' },
    { starts: 'one by one', sends: 'events', steps: 'straight' },
    { starts: 'in bulk', sends: 'nothing', steps: 'side by side' },
  ] as const
  const ours = forms.map((form) => posthornSagas({ ...form, connections: CONNECTIONS }))
  const dbos = dbosTransact(CONNECTIONS)
  const contestants = select([...ours, dbos], only)
  const results = await inTurns(contestants, { server, rounds }, measure)
  const middle = (runs: readonly Run[], field: keyof Run) =>
    round(median(runs.map((run) => run[field])))
  const lines = [...results].map(([{ name, version, settings }, runs]) => ({
    name,
    sagasPerSecond: middle(runs, 'perSecond'),
    statementsPerSaga: middle(runs, 'statements'),
    walBytesPerSaga: middle(runs, 'walBytes'),
    msPerSaga: middle(runs, 'ms'),
    runs: runs.map(({ perSecond }) => round(perSecond)),
    version,
    settings,
  }))
  report.table(`${SAGAS} sagas of four steps, median of ${rounds}`, lines)
  const rateOf = (wanted: string) => lines.find(({ name }) => name === wanted)?.sagasPerSecond
  report.table(
    'ratios',
    ours.flatMap(({ name }) => ratio(`${name} / DBOS Transact`, rateOf(name), rateOf(dbos.name))),
  )
}

async function measure(contestant: SagaContestant, database: Database): Promise<Run> {
  const pool = new Pool({ connectionString: database.url, max: CONNECTIONS })
  pool.on('error', () => undefined)
  const statements = countQueries(pool)
  try {
    return await withOpen(await contestant.open({ url: database.url, pool }), async (engine) => {
      // Connections, plans and the JIT: not what is compared.
      await engine.run(200)
      await rest(database)
      const [wal, said] = [await walPosition(database), statements()]
      const start = performance.now()
      await engine.run(SAGAS)
      const ms = performance.now() - start
      return {
        perSecond: (SAGAS / ms) * 1_000,
        statements: (statements() - said) / SAGAS,
        walBytes: (await walBytesSince(database, wal)) / SAGAS,
        ms: ms / SAGAS,
      }
    })
  } finally {
    if (!pool.ended) await pool.end()
  }
}

/** Counts what is said to the server on the connections of a pool. */
function countQueries(pool: Pool): () => number {
  let count = 0
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...args: unknown[]) => unknown
    Object.assign(client, {
      query: (...args: unknown[]) => {
        count += 1
        return query(...args)
      },
    })
  })
  return () => count
}
