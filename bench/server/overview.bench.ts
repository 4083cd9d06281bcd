import { readOverview } from '@posthorn/operate/internal'
import type { Pool } from 'pg'
import { inTurns, percentile, select } from '../kit/harness.ts'
import type { Options } from '../kit/options.ts'
import { benchOutbox, createOutbox, type OutboxForm } from '../kit/outbox.ts'
import type { Database, Server } from '../kit/postgres.ts'
import { round, type Report } from '../kit/report.ts'

const REFRESHES = 100

const FILL = `
  insert into bench.outbox (id, key, status, payload, sent_at)
  select gen_random_uuid(), 'key ' || n % 1000, $1, jsonb_build_object('n', n, 'text', repeat('x', 480)),
         case when $1 = 'sent' then now() end
    from generate_series(1, $2::int) as n`

interface Entry {
  readonly name: string
  readonly claims: OutboxForm['claims']
}

const ENTRIES: readonly Entry[] = [
  { name: 'posthorn by row', claims: 'by row' },
  { name: 'posthorn by key', claims: 'by key' },
]

/** What one refresh of the overview costs, beside a million finished rows and a long backlog. */
export async function runBench(server: Server, options: Options, report: Report): Promise<void> {
  const { rounds, finished, waiting } = options
  const entries = select(ENTRIES, options.only)
  const results = await inTurns(entries, { server, rounds }, ({ claims }, database) =>
    refreshTimes(database, claims, options),
  )
  report.table(
    `milliseconds for a refresh, ${rounds * REFRESHES} of them`,
    [...results].map(([{ name }, measured]) => {
      const times = measured.flat()
      const p50 = round(percentile(times, 50))
      return { name, finished, waiting, p50, p95: round(percentile(times, 95)) }
    }),
  )
}

async function refreshTimes(
  { pool }: Database,
  claims: OutboxForm['claims'],
  { finished, waiting }: Options,
): Promise<number[]> {
  const outbox = benchOutbox({ claims, record: 'none', inHand: 2 })
  await createOutbox(pool, outbox)
  await pool.query(FILL, ['sent', finished])
  await pool.query(FILL, ['pending', waiting])
  // As autovacuum would have done it by then.
  await pool.query('vacuum analyze bench.outbox')
  return timeReads(pool, () => readOverview(pool, [outbox]))
}

async function timeReads(pool: Pool, refresh: () => Promise<unknown>): Promise<number[]> {
  // Connections and caches as they are while a dashboard stays open.
  await Promise.all([pool.query('select 1'), pool.query('select 1')])
  for (let i = 0; i < 5; i += 1) await refresh()
  const times: number[] = []
  for (let i = 0; i < REFRESHES; i += 1) {
    const started = performance.now()
    await refresh()
    times.push(performance.now() - started)
  }
  return times
}
