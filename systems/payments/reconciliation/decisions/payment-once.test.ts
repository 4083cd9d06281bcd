import type { PoolClient } from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { paymentsDatabase } from '../../testing/running.ts'
import { reconcile } from '../runs/reconcile.ts'
import { givePayments } from '../testing/reconciling.ts'
import { giveFile } from '../testing/small-world.ts'

const db = await paymentsDatabase()
const { pool } = db
const owner = { org: 'acme', user: 'ada' }

const MATCH = `update payments.reconciliation_records
                  set status = 'matched', matched_payment_id = $2, decided_by = 'manual'
                where run_id = $1 and line_number = 3`
const LINK = `insert into payments.reconciliation_links (payment_id, run_id, line_number)
              values ($2, $1, 2)`

/** A writer in a transaction of its own, which takes no advisory lock. */
async function reckless(): Promise<PoolClient> {
  const client = await pool.connect()
  onTestFinished(async () => {
    await client.query('rollback')
    client.release()
  })
  await client.query('begin')
  return client
}

async function isWaiting(): Promise<boolean> {
  const { rows } = await pool.query(
    `select 1 from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`,
  )
  return rows.length > 0
}

test.each([
  ['matched and then linked', MATCH, LINK],
  ['linked and then matched', LINK, MATCH],
])('a payment that is %s at the same time belongs to the first', async (_name, first, second) => {
  const [mine, wanted] = await givePayments(pool, [
    { name: 'mine', amount: 100, ...owner },
    { name: 'wanted', amount: 50, ...owner },
  ])
  const { id } = await giveFile(pool, owner, [
    { name: 'line', amount: 150, currency: 'EUR' },
    { name: 'other', amount: 50, currency: 'EUR' },
  ])
  await reconcile({ pool, memoryMb: 4 }, { id, ...owner }, 'ada')
  // Line 2 settles several.
  await pool.query(MATCH.replace('= 3', '= 2'), [id, mine])
  const [one, two] = [await reckless(), await reckless()]
  await one.query(first, [id, wanted])
  const late = two.query(second, [id, wanted]).then(
    () => 'done',
    (error: { constraint?: string }) => error.constraint,
  )
  await expect.poll(isWaiting).toBe(true)
  await one.query('commit')
  expect(await late).toBe('reconciliation_payment_once')
})
