import { transaction, uuid } from '@posthorn/engine'
import { listAlerts } from '@posthorn/engine/operate'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { paymentsDatabase } from '../../testing/running.ts'
import { settle } from '../settle/settle.ts'
import { workOf } from '../work.ts'
import { receiveEvent } from './event.ts'

const { pool } = await paymentsDatabase()
await pool.query(
  `insert into payments.webhook_endpoints (id, org_id, url, event_types)
   values ($1, 'acme', 'https://merchant.test/', '{*}')`,
  [uuid()],
)

const AMOUNT = 1_000

/** Something that reaches us: an event of the gateway, or its answer to a refund that we asked for. */
type Arrival =
  | { readonly kind: 'event'; readonly id: string; readonly type: string; readonly refund?: Part }
  | { readonly kind: 'answer'; readonly refund: Part }

/** A refund of a part, made by us or at the gateway. */
interface Part {
  readonly name: string
  readonly amount: number
  readonly by: 'us' | 'the gateway'
}

const event = (type: string, id = type): Arrival => ({
  kind: 'event',
  id,
  type: `payment.${type}`,
})
const refundEvent = (refund: Part, id = refund.name): Arrival => ({
  kind: 'event',
  id,
  type: 'payment.refunded',
  refund,
})

/** All that arrives of a payment that succeeds and gives these parts back. */
function arrivalsOf(parts: readonly Part[]): Arrival[] {
  return [
    event('succeeded'),
    ...parts.flatMap((refund) => [
      refundEvent(refund),
      ...(refund.by === 'us' ? [{ kind: 'answer', refund } as const] : []),
    ]),
  ]
}

async function pendingPayment(arrivals: readonly Arrival[]): Promise<string> {
  const id = uuid()
  await pool.query(
    `insert into payments.payments (id, org_id, user_id, amount, currency)
     values ($1, 'acme', 'ada', $2, 'EUR')`,
    [id, AMOUNT],
  )
  for (const arrival of arrivals) {
    if (arrival.kind === 'event') continue
    await pool.query(
      `insert into payments.transactions (id, payment_id, type, amount, currency, gateway_key)
       values ($1, $2, 'refund', $3, 'EUR', $4)`,
      [uuid(), id, arrival.refund.amount, `${id} ${arrival.refund.name}`],
    )
  }
  return id
}

async function arrive(paymentId: string, arrival: Arrival): Promise<void> {
  if (arrival.kind === 'event') {
    const data = {
      ...{ paymentId, gatewayRef: `ch_${paymentId}`, currency: 'EUR' },
      amount: arrival.refund?.amount ?? AMOUNT,
      ...(arrival.refund && { refundId: `re_${arrival.refund.name}` }),
    }
    const told = { id: `${arrival.id} of ${paymentId}`, type: arrival.type, data }
    const received = { event: told, text: JSON.stringify(told) }
    await transaction(pool, (tx) => receiveEvent(tx, received))
    return
  }
  const { rows } = await pool.query<{ id: string }>(
    'select id from payments.transactions where gateway_key = $1',
    [`${paymentId} ${arrival.refund.name}`],
  )
  const outcome = { kind: 'refunded', ref: `re_${arrival.refund.name}` } as const
  await transaction(pool, async (tx) => {
    const work = await workOf(tx, { transactionId: String(rows[0]?.id), tries: 0 })
    await settle(tx, work, { outcome, by: 'ada' })
  })
}

/** Everything that is known of a payment in the end. */
async function stateOf(id: string) {
  const payment = await pool.query<{ status: string }>(
    'select status from payments.payments where id = $1',
    [id],
  )
  const refunds = await pool.query(
    `select gateway_ref as ref, amount::int, status, confirmed_at is not null as confirmed
       from payments.transactions where payment_id = $1 and type = 'refund' order by 1`,
    [id],
  )
  const told = await pool.query<{ event_type: string }>(
    `select event_type from payments.webhook_deliveries
      where payload -> 'data' ->> 'paymentId' = $1 order by position`,
    [id],
  )
  const parked = await pool.query(
    "select from payments.webhook_events where payment_id = $1 and outcome = 'parked'",
    [id],
  )
  const alerts = await listAlerts(pool, { source: 'payments.webhooks', limit: 500 })
  return {
    status: payment.rows[0]?.status,
    refunds: refunds.rows,
    told: told.rows.map((row) => row.event_type),
    parked: parked.rows.length,
    alerts: alerts.items.filter(({ subject }) => subject === id).map(({ code }) => code),
  }
}

async function resultOf(arrivals: readonly Arrival[]) {
  const id = await pendingPayment(arrivals.filter((each, i) => arrivals.indexOf(each) === i))
  for (const arrival of arrivals) await arrive(id, arrival)
  return stateOf(id)
}

function expectedOf(parts: readonly Part[]) {
  const sum = parts.reduce((all, { amount }) => all + amount, 0)
  return {
    status: sum === AMOUNT ? 'refunded' : 'succeeded',
    refunds: parts
      .map(({ name, amount }) => ({
        ...{ ref: `re_${name}`, amount },
        ...{ status: 'succeeded', confirmed: true },
      }))
      .toSorted((a, b) => (a.ref < b.ref ? -1 : 1)),
    told: ['payment.succeeded', ...parts.map(() => 'payment.refunded')],
    parked: 0,
    alerts: [],
  }
}

function permutations<T>(items: readonly T[]): T[][] {
  if (items.length === 0) return [[]]
  return items.flatMap((item, i) =>
    permutations(items.toSpliced(i, 1)).map((rest) => [item, ...rest]),
  )
}

const part = (name: string, amount: number, by: Part['by'] = 'the gateway'): Part => ({
  name,
  amount,
  by,
})

test.each([
  ['no refund', []],
  ['the whole, at the gateway', [part('a', 1_000)]],
  ['the whole, by us', [part('a', 1_000, 'us')]],
  ['a part, at the gateway', [part('a', 400)]],
  ['three parts, at the gateway', [part('a', 400), part('b', 400), part('c', 200)]],
  ['two equal parts, by us', [part('a', 300, 'us'), part('b', 300, 'us')]],
  ['two parts, by us and at the gateway', [part('a', 300, 'us'), part('b', 700)]],
])('every arrival order of %s ends alike', { timeout: 120_000 }, async (_, parts) => {
  for (const order of permutations(arrivalsOf(parts))) {
    const title = order.map((each) => (each.kind === 'event' ? each.id : 'answer')).join(', ')
    expect(await resultOf(order), title).toEqual(expectedOf(parts))
  }
})

/** Up to four parts that come to at most the payment, and often to all of it. */
const someParts = fc
  .tuple(
    fc.array(fc.constantFrom(100, 250, 300, 500), { maxLength: 4 }),
    fc.boolean(),
    fc.infiniteStream(fc.constantFrom<Part['by']>('us', 'the gateway')),
  )
  .map(([amounts, isWhole, makers]) => {
    const parts: number[] = []
    let left = AMOUNT
    for (const amount of amounts.filter((each) => each <= left)) {
      if (amount > left) continue
      parts.push(amount)
      left -= amount
    }
    if (isWhole && left > 0) parts.push(left)
    const by = makers.take(parts.length)
    return parts.map((amount, i) => part(`r${i}`, amount, by.next().value ?? 'us'))
  })

test('events that come twice, under one id or two, change nothing', { timeout: 180_000 }, () =>
  fc.assert(
    fc.asyncProperty(someParts, fc.infiniteStream(fc.nat()), async (parts, numbers) => {
      const once = arrivalsOf(parts)
      const again = once
        .filter((each) => each.kind === 'event')
        .flatMap((each) => {
          const kind = Number(numbers.next().value) % 3
          if (kind === 0) return []
          return [kind === 1 ? each : { ...each, id: `${each.id} again` }]
        })
      const order = [...once, ...again]
        .map((arrival) => ({ arrival, at: Number(numbers.next().value) }))
        .toSorted((a, b) => a.at - b.at)
        .map(({ arrival }) => arrival)
      expect(await resultOf(order)).toEqual(expectedOf(parts))
    }),
    { numRuns: 60 },
  ),
)

test('where succeeded and failed both come the first stands, and the books agree', async () => {
  const refund = part('a', 1_000)
  const arrivals = [event('succeeded'), event('failed'), refundEvent(refund)]
  for (const order of permutations(arrivals)) {
    const { status, refunds, told, parked, alerts } = await resultOf(order)
    const first = order.find((each) => each.kind === 'event' && each.refund === undefined)
    const hasSucceeded = first === arrivals[0]
    expect(status).toBe(hasSucceeded ? 'refunded' : 'failed')
    expect(refunds).toHaveLength(hasSucceeded ? 1 : 0)
    expect(told).toEqual(
      hasSucceeded ? ['payment.succeeded', 'payment.refunded'] : ['payment.failed'],
    )
    expect(parked).toBe(0)
    expect(alerts).toEqual(['PAYMENT_STATE_CONFLICT'])
  }
})

test('refunds of more than was taken are alerted, and the books stay within it', async () => {
  const arrivals = [event('succeeded'), refundEvent(part('a', 600)), refundEvent(part('b', 600))]
  for (const order of permutations(arrivals)) {
    const { status, refunds, alerts } = await resultOf(order)
    expect(status).toBe('succeeded')
    expect(refunds).toMatchObject([{ amount: 600, confirmed: true }])
    expect(alerts).toEqual(['PAYMENT_EVENT_MISMATCH'])
  }
})
