import { engineMigrations, migrate } from '@posthorn/engine'
import { payments as system } from '../index.ts'
import { startChild } from '../../../bench/kit/child.ts'
import { inTurns, median } from '../../../bench/kit/harness.ts'
import type { Options } from '../../../bench/kit/options.ts'
import { rest, type Database, type Server } from '../../../bench/kit/postgres.ts'
import type { Serving } from '../../../bench/kit/serving.ts'
import { ratio, type Report } from '../../../bench/kit/report.ts'

const RUN_ID = '01900000-0000-7000-8000-000000000000'

interface Contestant {
  readonly name: string
  /** Milliseconds for all records of the file. */
  match(database: Database): Promise<number>
}

/**
 * A run over a file through a server process, with its reasons, details, tallies, audit and event,
 * against the bare join-and-update of the same tables, which has none of them and cannot tell two
 * equal lines apart. The bare one is measured with the server's own memory for a join, and with as
 * much as a run has.
 */
export async function benchMatching(
  server: Server,
  { records, rounds }: Options,
  report: Report,
): Promise<void> {
  const contestants: readonly Contestant[] = [
    { name: 'bare update', match: (database) => bareUpdate(database, '4MB') },
    { name: 'bare update, 64 MB', match: (database) => bareUpdate(database, '64MB') },
    { name: 'run', match: (database) => run(database, records) },
  ]
  const results = await inTurns(contestants, { server, rounds }, async (contestant, database) => {
    await migrate(database.pool, [await engineMigrations(), await system.migrations()])
    await load(database, records)
    await rest(database)
    return contestant.match(database)
  })
  const times = contestants.map((contestant) => results.get(contestant) ?? [])
  report.table(
    `${records} records matched with as many payments, median of ${rounds}`,
    contestants.map(({ name }, i) => lineOf(name, records, times[i] ?? [])),
  )
  const [plain = [], roomy = [], ours = []] = times
  const shares = (bare: readonly number[]) => ours.map((ms, i) => (bare[i] ?? Number.NaN) / ms)
  report.table('ratios, median of pairs', [
    ...ratio('run / bare update', median(shares(plain)), 1),
    ...ratio('run / bare update, 64 MB', median(shares(roomy)), 1),
  ])
}

function lineOf(name: string, records: number, times: readonly number[]) {
  const ms = median(times)
  return {
    name,
    seconds: Number((ms / 1_000).toFixed(2)),
    recordsPerSecond: Math.round(records / (ms / 1_000)),
  }
}

/** Payments as they are created, one after the other, and a file that has each of them once. */
async function load({ pool }: Database, records: number): Promise<void> {
  // Its trigger checks each row, which is not what is measured.
  await pool.query('alter table payments.payments disable trigger payments_guarded')
  await pool.query(
    `insert into payments.payments
            (id, org_id, user_id, amount, currency, external_payment_id, status, settled_at)
     select (lpad(to_hex(1760000000000 + n), 12, '0') || '70008000' || lpad(to_hex(n), 12, '0'))::uuid,
            'bench', 'bench', 100 + n * 7919 % 1000000, 'EUR', 'pay_' || lpad(to_hex(n), 16, '0'),
            'succeeded', posthorn.now()
       from generate_series(1, $1::bigint) as n`,
    [records],
  )
  await pool.query('alter table payments.payments enable trigger payments_guarded')
  await pool.query(
    `with records as (
       insert into payments.reconciliation_records
              (run_id, line_number, amount, booked_on, currency, external_transaction_id)
       select $1, n + 1, 100 + n * 7919 % 1000000, '2026-11-02', 'EUR',
              'pay_' || lpad(to_hex(n), 16, '0')
         from generate_series(1, $2::bigint) as n
     )
     insert into payments.reconciliation_runs
            (id, org_id, user_id, filename, file_hash, file_bytes, total, unmatched, sums)
     values ($1, 'bench', 'bench', 'bank.csv', sha256('x'), 0, $2, $2, '{}')`,
    [RUN_ID, records],
  )
}

async function bareUpdate({ pool }: Database, memory: '4MB' | '64MB'): Promise<number> {
  const client = await pool.connect()
  try {
    await client.query(`set work_mem = '${memory}'`)
    const begun = performance.now()
    await client.query(
      `update payments.reconciliation_records as r
          set status = 'matched', matched_payment_id = p.id, decided_by = 'auto'
         from payments.payments as p
        where r.run_id = $1 and r.status = 'unmatched'
          and p.org_id = 'bench'
          and p.external_payment_id = r.external_transaction_id
          and p.amount = r.amount and p.currency = r.currency`,
      [RUN_ID],
    )
    return Math.round(performance.now() - begun)
  } finally {
    client.release()
  }
}

async function run({ url: databaseUrl }: Database, records: number): Promise<number> {
  const script = new URL('reconcile-process.ts', import.meta.url)
  await using child = await startChild<Serving>(script, [databaseUrl])
  const { url, token } = child.said
  const begun = performance.now()
  const response = await fetch(`${url}/${RUN_ID}/run`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
  })
  const answer = (await response.json()) as { matched?: number }
  const ms = Math.round(performance.now() - begun)
  if (response.status !== 200 || answer.matched !== records) {
    throw new Error(`the run failed: ${response.status} ${JSON.stringify(answer)}`)
  }
  return ms
}
