import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { transaction, uuid } from '@posthorn/engine'
import { createGateway } from '@posthorn/gateway'
import { gateway as simulator } from '@posthorn/gateway/simulators'
import { simulate } from '@posthorn/system/testing/simulate'
import { afterAll, expect, test } from 'vitest'
import { paymentsDatabase, type Ledger } from '../../testing/running.ts'
import { receiveEvent, type GatewayEvent } from './event.ts'

const { pool } = await paymentsDatabase()
const AMOUNT = 1_000
const POLL = { timeout: 10_000 }

/** What the simulated gateway says, in the order in which it says it. */
const said: GatewayEvent[] = []
const receiver = createServer((request, response) => {
  let text = ''
  request.on('data', (chunk) => (text += chunk))
  request.on('end', () => {
    said.push(JSON.parse(text) as GatewayEvent)
    response.end()
  })
})
await once(receiver.listen(0, '127.0.0.1'), 'listening')
const to = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
const { url, read } = await simulate(simulator({ webhooks: { to, secret: 'x'.repeat(32) } }))
afterAll(() => {
  receiver.closeAllConnections()
  receiver.close()
})
const gateway = createGateway({
  settings: { GATEWAY_URL: 'simulated', GATEWAY_API_KEY: 'k', GATEWAY_TIMEOUT_MS: 5_000 },
  baseUrl: () => url,
})

/** Two partial refunds at the gateway, of which some fail later: its events, and what its books say. */
async function play(amounts: readonly number[], failing: readonly number[]) {
  said.length = 0
  const reference = uuid()
  const order = { key: uuid(), amount: AMOUNT, currency: 'EUR', reference }
  const charged = await gateway.charge(order)
  const chargeRef = charged.kind === 'charged' ? charged.ref : ''
  for (const [i, amount] of amounts.entries()) {
    const refund = { key: `${reference} ${i}`, chargeRef, currency: 'EUR', amount }
    const refunded = await gateway.refund(refund)
    if (!failing.includes(i) || refunded.kind !== 'refunded') continue
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ refundId: refunded.ref })
    await fetch(`${url}/sim/gateway/refund-failures`, { method: 'POST', headers, body })
    expect(await gateway.findRefund(refund)).toMatchObject({ kind: 'refused' })
  }
  await expect.poll(() => said.length, POLL).toBe(1 + amounts.length + failing.length)
  const { refunds } = await read<Ledger>('/ledger')
  const mine = refunds.filter(({ chargeId }) => chargeId === chargeRef)
  const made = mine.filter(({ status }) => status === 'succeeded')
  const refunded = made.reduce((sum, { amount }) => sum + amount, 0)
  return {
    events: said.map((event) => JSON.stringify(event)),
    reference,
    books: {
      status: refunded === AMOUNT ? 'refunded' : 'succeeded',
      ...{ refunded, net: AMOUNT - refunded, parked: 0, alerts: 0 },
      refunds: mine.map(({ amount, status }) => ({ amount, status })).toSorted(byAmount),
    },
  }
}

const byAmount = (one: { amount: number }, other: { amount: number }) => one.amount - other.amount

/** Our books of a new payment to which these events came. */
async function booksAfter(events: readonly string[], reference: string) {
  const id = uuid()
  await pool.query(
    `insert into payments.payments (id, org_id, user_id, amount, currency)
     values ($1, 'acme', 'ada', $2, 'EUR')`,
    [id, AMOUNT],
  )
  for (const event of events) {
    // The same story, told of this payment.
    const text = event.replaceAll(reference, id).replaceAll(/(evt|ch|re)_\w+/g, `$&_${id}`)
    const received = { event: JSON.parse(text) as GatewayEvent, text }
    await transaction(pool, (tx) => receiveEvent(tx, received))
  }
  const { rows } = await pool.query(
    `select p.status, l.refunded::int, l.net::int,
            (select count(*)::int from payments.webhook_events
              where payment_id = p.id and outcome = 'parked') as parked,
            (select count(*)::int from posthorn.alert
              where subject = p.id::text and recovered_at is null) as alerts,
            array(select json_build_object('amount', amount, 'status', status)
                    from payments.transactions
                   where payment_id = p.id and type = 'refund' order by amount) as refunds
       from payments.payments as p
       join payments.ledger as l on l.payment_id = p.id
      where p.id = $1`,
    [id],
  )
  return rows[0] as unknown
}

function permutations<T>(items: readonly T[]): T[][] {
  if (items.length === 0) return [[]]
  return items.flatMap((item, i) =>
    permutations(items.toSpliced(i, 1)).map((rest) => [item, ...rest]),
  )
}

test.each([
  { amounts: [600, 400], failing: [] },
  { amounts: [600, 400], failing: [0] },
  { amounts: [600, 400], failing: [1] },
  { amounts: [600, 400], failing: [0, 1] },
  { amounts: [300, 200], failing: [0] },
  // The second one is in the room that the first one's failure made.
  { amounts: [700, 1_000], failing: [0] },
])(
  'refunds of $amounts, of which $failing fail: every arrival order ends as the gateway has it',
  { timeout: 120_000 },
  async ({ amounts, failing }) => {
    const { events, reference, books } = await play(amounts, failing)
    for (const order of permutations(events)) {
      const title = order.map((text) => (JSON.parse(text) as GatewayEvent).type).join(', ')
      expect(await booksAfter(order, reference), title).toEqual(books)
    }
  },
)
