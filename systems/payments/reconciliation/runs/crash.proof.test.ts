import { expect, test } from 'vitest'
import { startChild } from '../../testing/child.ts'
import { clientOf, paymentsDatabase, runPayments } from '../../testing/running.ts'
import { givePayments, reconcilerOf } from '../testing/reconciling.ts'
import { giveFile, mistakesOf, outcomesOf } from '../testing/small-world.ts'

const db = await paymentsDatabase()
const here = await runPayments(db)
const ROWS = 5_000
const PATIENCE = { timeout: 30_000 }

async function giveWork(org: string) {
  const entries = Array.from({ length: ROWS }, (_, i) => ({
    name: `bank-${i}`,
    amount: 100 + (i % 50),
    currency: 'EUR',
  }))
  const payments = await givePayments(
    db.pool,
    entries.map((entry) => ({ ...entry, org })),
  )
  return { payments, key: await giveFile(db.pool, { org, user: 'ada' }, entries) }
}

/** Backends of this database that wait for a row lock. */
async function waiting(): Promise<number> {
  const { rows } = await db.pool.query(
    `select 1 from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`,
  )
  return rows.length
}

/** Where a run can be made to stand still: it waits for a locked row. */
const POINTS: readonly [name: string, lock: string][] = [
  [
    'while it matches',
    `select from payments.payments where org_id = $1 order by id desc limit 1 for update`,
  ],
  ['just before its end', `select from payments.reconciliation_runs where org_id = $1 for update`],
]

test.each(POINTS)(
  'a run that is killed %s leaves nothing, and the next one works',
  { timeout: 120_000 },
  async (name, lock) => {
    const org = `killed ${name}`
    const { key } = await giveWork(org)
    const child = await startChild(db.url, { GATEWAY_URL: here.url })
    const holder = await db.pool.connect()
    try {
      await holder.query('begin')
      await holder.query(lock, [org])
      const caller = { sub: 'ada', org }
      const asked = reconcilerOf(await clientOf(child.url, caller)).post(`/${key.id}/run`)
      const outcome = asked.then(
        ({ status }) => status,
        () => 'broken off',
      )
      await expect.poll(waiting, PATIENCE).toBe(1)
      // Meanwhile no other run decides about the same payments.
      const busy = await reconcilerOf(await here.as(caller)).post(`/${key.id}/run`)
      expect(busy).toMatchObject({ status: 409, body: { code: 'RECONCILIATION_BUSY' } })
      expect(busy.headers.get('retry-after')).toBe('5')
      await child.kill()
      expect(await outcome).toBe('broken off')
      // Postgres finds out by itself, with the row still held.
      await expect.poll(waiting, PATIENCE).toBe(0)
    } finally {
      await holder.query('rollback')
      holder.release()
    }
    const untouched = await outcomesOf(db.pool, key)
    expect(untouched.filter(({ status }) => status !== 'unmatched')).toEqual([])
    expect(untouched.filter(({ reason }) => reason !== null)).toEqual([])
    const me = reconcilerOf(await here.as({ org }))
    expect((await me.get(`/${key.id}`)).body).toMatchObject({ status: 'loaded', runNo: 0 })
    expect(await me.run(key.id)).toMatchObject({ matched: ROWS, unmatched: 0, matchRate: 100 })
    expect(await mistakesOf(db.pool, key)).toEqual([])
    const { rows } = await db.pool.query(
      `select count(*)::int as audits from payments.audit_log
        where entity_id = $1 and action = 'reconciliation.completed'`,
      [key.id],
    )
    expect(rows).toEqual([{ audits: 1 }])
  },
)
