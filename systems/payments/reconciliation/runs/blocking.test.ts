import { expect, test } from 'vitest'
import { paymentsDatabase, runPayments } from '../../testing/running.ts'
import { reconcilerOf } from '../testing/reconciling.ts'
import { giveFile } from '../testing/small-world.ts'

const db = await paymentsDatabase()
const running = await runPayments(db)
await running.gateway('webhooks', { copies: 0 })
const ada = await running.as({})

/** Backends of this database that wait for a lock. */
async function waiting(): Promise<number> {
  const { rows } = await db.pool.query(
    `select 1 from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`,
  )
  return rows.length
}

test('a run that is not over holds up neither webhooks nor refunds of its payments', async () => {
  const line = { name: 'bank-1', amount: 1_000, currency: 'EUR' }
  const { body } = await ada.pay('under way', {
    ...{ amount: 1_000, currency: 'EUR' },
    externalPaymentId: 'bank-1',
  })
  const id = String(body['id'])
  const key = await giveFile(db.pool, { org: 'acme', user: 'ada' }, [line])
  const holder = await db.pool.connect()
  try {
    // The run has matched its records and waits just before its end.
    await holder.query('begin')
    await holder.query('select from payments.reconciliation_runs where id = $1 for update', [
      key.id,
    ])
    const run = reconcilerOf(ada).post(`/${key.id}/run`)
    await expect.poll(waiting).toBe(1)
    const data = { paymentId: id, status: 'succeeded' }
    await running.event({ id: 'evt_under_way', type: 'payment.succeeded', data })
    expect(await ada.payment(id)).toMatchObject({ status: 'succeeded' })
    expect((await ada.refund(id)).status).toBe(201)
    expect(await waiting()).toBe(1)
    await holder.query('rollback')
    expect(await run).toMatchObject({ status: 200, body: { matched: 1 } })
  } finally {
    await holder.query('rollback')
    holder.release()
  }
})
