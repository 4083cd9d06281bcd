import { uuid } from '@posthorn/engine'
import { expect, test } from 'vitest'
import { MOVES, type PaymentStatus } from './payment.ts'
import { paymentsDatabase } from '../testing/running.ts'

const { pool } = await paymentsDatabase()
const STATUSES = Object.keys(MOVES) as PaymentStatus[]

/** How a payment comes to stand so. */
const WAYS: Record<PaymentStatus, PaymentStatus[]> = {
  pending: [],
  succeeded: ['succeeded'],
  failed: ['failed'],
  refunded: ['succeeded', 'refunded'],
}

const move = (id: string, to: string) =>
  pool.query('update payments.payments set status = $2 where id = $1', [id, to])

async function paymentIn(status: PaymentStatus): Promise<string> {
  const id = uuid()
  await pool.query(
    "insert into payments.payments (id, org_id, user_id, amount, currency) values ($1, 'o', 'u', 1, 'EUR')",
    [id],
  )
  for (const to of WAYS[status]) await move(id, to)
  return id
}

const pairs = STATUSES.flatMap((from) => STATUSES.map((to) => ({ from, to })))

test.each(pairs)('the database lets $from become $to only if the machine does', async (pair) => {
  const { from, to } = pair
  const id = await paymentIn(from)
  const moved = move(id, to)
  if (from === to || MOVES[from].includes(to)) await moved
  else await expect(moved).rejects.toMatchObject({ code: '23514', constraint: 'payment_moves' })
  const { rows } = await pool.query('select status from payments.payments where id = $1', [id])
  expect(rows).toEqual([{ status: MOVES[from].includes(to) ? to : from }])
})

test.each(['succeeded', 'failed', 'refunded'])('no payment begins as %s', async (status) => {
  const inserted = pool.query(
    "insert into payments.payments (id, org_id, user_id, amount, currency, status, settled_at) values ($1, 'o', 'u', 1, 'EUR', $2, now())",
    [uuid(), status],
  )
  await expect(inserted).rejects.toMatchObject({ constraint: 'payment_begins_pending' })
})

test.each(['amount = 2', "currency = 'USD'", "org_id = 'x'", "user_id = 'x'"])(
  'what a payment is about cannot change: %s',
  async (change) => {
    const id = await paymentIn('pending')
    const changed = pool.query(`update payments.payments set ${change} where id = $1`, [id])
    await expect(changed).rejects.toMatchObject({ constraint: 'payment_fixed' })
  },
)

test("the gateway's reference is written once", async () => {
  const id = await paymentIn('pending')
  const write = (ref: string | null) =>
    pool.query('update payments.payments set gateway_ref = $2 where id = $1', [id, ref])
  await write('ch_1')
  await write('ch_1')
  await expect(write('ch_2')).rejects.toMatchObject({ constraint: 'payment_fixed' })
  await expect(write(null)).rejects.toMatchObject({ constraint: 'payment_fixed' })
})

test('a payment has one charge, and one refund that has not failed', async () => {
  const id = await paymentIn('succeeded')
  const insert = (type: string) =>
    pool.query(
      "insert into payments.transactions (id, payment_id, type, amount, currency, gateway_key) values ($1, $2, $3, 1, 'EUR', $4)",
      [uuid(), id, type, uuid()],
    )
  await insert('charge')
  await insert('refund')
  await expect(insert('charge')).rejects.toMatchObject({ constraint: 'transactions_one_charge' })
  await expect(insert('refund')).rejects.toMatchObject({ constraint: 'transactions_one_refund' })
  await pool.query(
    "update payments.transactions set status = 'failed', error_code = 'x' where payment_id = $1 and type = 'refund'",
    [id],
  )
  await insert('refund')
})
