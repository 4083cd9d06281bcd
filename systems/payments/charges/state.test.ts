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

async function paymentIn(status: PaymentStatus, amount = 1): Promise<string> {
  const id = uuid()
  await pool.query(
    "insert into payments.payments (id, org_id, user_id, amount, currency) values ($1, 'o', 'u', $2, 'EUR')",
    [id, amount],
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

async function insertTransaction(
  paymentId: string,
  { type = 'refund', amount = 1, currency = 'EUR' } = {},
): Promise<string> {
  const id = uuid()
  await pool.query(
    'insert into payments.transactions (id, payment_id, type, amount, currency, gateway_key) values ($1, $2, $3, $4, $5, $6)',
    [id, paymentId, type, amount, currency, uuid()],
  )
  return id
}

test('a payment has one charge', async () => {
  const id = await paymentIn('succeeded')
  await insertTransaction(id, { type: 'charge' })
  await expect(insertTransaction(id, { type: 'charge' })).rejects.toMatchObject({
    constraint: 'transactions_one_charge',
  })
})

const beyond = { code: '23514', constraint: 'refunds_within_payment' }

test('refunds that have not failed are never more than the payment', async () => {
  const id = await paymentIn('succeeded', 1_000)
  await expect(insertTransaction(id, { amount: 1_001 })).rejects.toMatchObject(beyond)
  await expect(insertTransaction(id, { currency: 'USD' })).rejects.toMatchObject(beyond)
  const first = await insertTransaction(id, { amount: 600 })
  await expect(insertTransaction(id, { amount: 401 })).rejects.toMatchObject(beyond)
  await insertTransaction(id, { amount: 400 })
  await pool.query(
    "update payments.transactions set status = 'failed', error_code = 'x' where id = $1",
    [first],
  )
  await insertTransaction(id, { amount: 600 })
  const revived = pool.query("update payments.transactions set status = 'pending' where id = $1", [
    first,
  ])
  await expect(revived).rejects.toMatchObject(beyond)
})

test('of ten refunds at once as many stand as the payment has room for', async () => {
  const id = await paymentIn('succeeded', 1_000)
  const all = await Promise.allSettled(
    Array.from({ length: 10 }, () => insertTransaction(id, { amount: 300 })),
  )
  expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(3)
})
