import { transaction, uuid } from '@posthorn/engine'
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
  | {
      readonly kind: 'event'
      readonly id: string
      readonly type: string
      readonly amount?: number
      readonly refund?: Part
      readonly dispute?: Claim
    }
  | { readonly kind: 'answer'; readonly refund: Part }

/** A refund of a part, made by us or at the gateway. */
interface Part {
  readonly name: string
  readonly amount: number
  readonly by: 'us' | 'the gateway'
  /** Reversed: it is made, and the bank refuses it days later. */
  readonly ends: 'made' | 'failed' | 'reversed'
}

/** A dispute, and how it ends. */
interface Claim {
  readonly name: string
  readonly amount: number
  readonly ends: 'opened' | 'won' | 'lost' | 'withdrawn'
}

/** What happened at the gateway, as one legal story. */
interface History {
  readonly parts: readonly Part[]
  readonly claims?: readonly Claim[]
  /** It also says that the payment failed. */
  readonly denied?: boolean
  /** Held first; what was taken of it. */
  readonly captured?: number
}

const event = (type: string, amount = AMOUNT): Arrival => ({
  ...{ kind: 'event', id: type, type: `payment.${type}`, amount },
})
const refundEvent = (refund: Part, ends = refund.ends): Arrival => ({
  kind: 'event',
  id: ends === 'reversed' ? `${refund.name} reversed` : refund.name,
  type: ends === 'made' ? 'payment.refunded' : 'payment.refund_failed',
  refund,
})
const disputeEvent = (dispute: Claim, status: Claim['ends']): Arrival => ({
  kind: 'event',
  id: `${dispute.name} ${status}`,
  type: `dispute.${status}`,
  dispute,
})

/** All that arrives of a payment with such a history. */
function arrivalsOf({ parts, claims = [], denied = false, captured }: History): Arrival[] {
  return [
    ...(captured === undefined ? [] : [event('authorised')]),
    event('succeeded', captured),
    ...(denied ? [event('failed')] : []),
    ...parts.flatMap((refund) => [
      refundEvent(refund),
      ...(refund.ends === 'reversed' ? [refundEvent(refund, 'made')] : []),
      ...(refund.by === 'us' ? [{ kind: 'answer', refund } as const] : []),
    ]),
    ...claims.flatMap((claim) => [
      disputeEvent(claim, 'opened'),
      ...(claim.ends === 'opened' ? [] : [disputeEvent(claim, claim.ends)]),
    ]),
  ]
}

async function pendingPayment({ parts, captured }: History): Promise<string> {
  const id = uuid()
  await pool.query(
    `insert into payments.payments (id, org_id, user_id, amount, currency, capture_method)
     values ($1, 'acme', 'ada', $2, 'EUR', $3)`,
    [id, AMOUNT, captured === undefined ? 'automatic' : 'manual'],
  )
  for (const { name, amount } of parts.filter(({ by }) => by === 'us')) {
    await pool.query(
      `insert into payments.transactions (id, payment_id, type, amount, currency, gateway_key)
       values ($1, $2, 'refund', $3, 'EUR', $4)`,
      [uuid(), id, amount, `${id} ${name}`],
    )
  }
  return id
}

async function arrive(paymentId: string, arrival: Arrival): Promise<void> {
  if (arrival.kind === 'event') {
    const { refund, dispute } = arrival
    const data = {
      ...{ paymentId, gatewayRef: `ch_${paymentId}`, currency: 'EUR' },
      amount: (refund ?? dispute ?? arrival).amount ?? AMOUNT,
      ...(refund && { refundId: `re_${refund.name}` }),
      ...(dispute && { disputeId: `dp_${dispute.name}` }),
      // The end of a dispute does not repeat them.
      ...(arrival.type === 'dispute.opened' && {
        reason: 'fraudulent',
        evidenceDueAt: '2030-01-02T00:00:00.000Z',
      }),
    }
    const arrived = { id: `${arrival.id} of ${paymentId}`, type: arrival.type, data }
    const received = { event: arrived, text: JSON.stringify(arrived) }
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

interface Row {
  readonly status: string
  readonly refunds: readonly { ref: string; amount: number; state: string }[]
  readonly disputes: readonly { ref: string; amount: number; status: string; facts: string }[]
  readonly forwarded: readonly string[]
  readonly parked: readonly string[]
  readonly alerts: readonly string[]
  readonly taken: number
  readonly refunded: number
  readonly disputed: number
  readonly net: number
}

/** Everything that is known of a payment in the end. */
async function stateOf(id: string): Promise<Row> {
  const { rows } = await pool.query<Row>(
    `select p.status,
            array(select json_build_object('ref', gateway_ref, 'amount', amount,
                           'state', case when status = 'failed' then 'failed'
                                         when confirmed_at is null then 'accepted' else 'made' end)
                    from payments.transactions
                   where payment_id = p.id and type = 'refund' order by gateway_key) as refunds,
            array(select json_build_object('ref', gateway_ref, 'amount', amount, 'status', status,
                           'facts', concat(reason, ' ', evidence_due_at at time zone 'UTC'))
                    from payments.disputes where payment_id = p.id order by gateway_ref) as disputes,
            array(select d.event_type
                    from payments.webhook_events as e
                    join payments.webhook_deliveries as d
                      on d.org_id = 'acme' and d.event_id = e.event_id
                   where e.payment_id = p.id order by d.position) as forwarded,
            array(select split_part(event_id, ' of ', 1) from payments.webhook_events
                   where payment_id = p.id and outcome = 'parked' order by 1) as parked,
            array(select distinct code from posthorn.alert
                   where subject like p.id || '%' and recovered_at is null
                   order by 1) as alerts,
            l.taken::int, l.refunded::int, l.disputed::int, l.net::int
       from payments.payments as p
       join payments.ledger as l on l.payment_id = p.id
      where p.id = $1`,
    [id],
  )
  return rows[0] as Row
}

async function resultOf(history: History, arrivals: readonly Arrival[]): Promise<Row> {
  const id = await pendingPayment(history)
  for (const arrival of arrivals) await arrive(id, arrival)
  return stateOf(id)
}

const sum = (all: readonly { amount: number }[]) => all.reduce((to, { amount }) => to + amount, 0)

/** What a history means, however it arrives. */
function expectedOf(history: History, arrivals: readonly Arrival[]) {
  const { parts, claims = [], denied = false, captured } = history
  const taken = captured ?? AMOUNT
  const at = (id: string) => arrivals.findIndex((each) => each.kind === 'event' && each.id === id)
  const hasFailed = denied && at('failed') < at('succeeded')
  if (hasFailed) {
    return {
      ...{ status: 'failed', refunds: [], disputes: [], forwarded: ['payment.failed'], parked: [] },
      ...{ alerts: ['PAYMENT_STATE_CONFLICT'], taken: 0, refunded: 0, disputed: 0, net: 0 },
    }
  }
  const made = parts.filter(({ ends }) => ends === 'made')
  const claimed = claims.filter(({ ends }) => ends === 'opened' || ends === 'lost')
  const said = claims.flatMap(({ name, ends }) => {
    if (ends === 'opened') return ['dispute.opened']
    const isInOrder = at(`${name} opened`) < at(`${name} ${ends}`)
    return [...(isInOrder ? ['dispute.opened'] : []), `dispute.${ends}`]
  })
  return {
    status: sum(made) === taken ? 'refunded' : 'succeeded',
    refunds: parts
      .map(({ name, amount, ends }) => ({
        ...{ ref: `re_${name}`, amount },
        state: ends === 'made' ? 'made' : 'failed',
      }))
      .toSorted(byRef),
    disputes: claims
      .map(({ name, amount, ends: status }) => ({
        ...{ ref: `dp_${name}`, amount, status, facts: 'fraudulent 2030-01-02 00:00:00' },
      }))
      .toSorted(byRef),
    forwarded: [
      'payment.succeeded',
      ...made.map(() => 'payment.refunded'),
      // Told that it was made only if that came before its failure.
      ...parts
        .filter(({ name, ends }) => ends === 'reversed' && at(name) < at(`${name} reversed`))
        .map(() => 'payment.refunded'),
      ...parts.filter(({ ends }) => ends !== 'made').map(() => 'payment.refund_failed'),
      ...said,
      ...(at('authorised') >= 0 && at('authorised') < at('succeeded')
        ? ['payment.authorised']
        : []),
    ].toSorted(),
    parked: [],
    alerts: [
      ...(claims.some(({ ends }) => ends === 'opened') ? ['PAYMENT_DISPUTED'] : []),
      ...(sum(made) + sum(claimed) > taken ? ['PAYMENT_OVERDRAWN'] : []),
      ...(denied ? ['PAYMENT_STATE_CONFLICT'] : []),
    ],
    taken,
    refunded: sum(made),
    disputed: sum(claimed),
    net: taken - sum(made) - sum(claimed),
  }
}

function byRef(one: { ref: string }, other: { ref: string }): number {
  return one.ref < other.ref ? -1 : 1
}

/** Where the order does not count; a success is forwarded before what follows from it. */
function inAnyOrder(state: Row) {
  const [first] = state.forwarded.filter((type) => type !== 'payment.authorised')
  if (state.forwarded.includes('payment.succeeded')) expect(first).toBe('payment.succeeded')
  return { ...state, forwarded: state.forwarded.toSorted(), refunds: state.refunds.toSorted(byRef) }
}

function permutations<T>(items: readonly T[]): T[][] {
  if (items.length === 0) return [[]]
  return items.flatMap((item, i) =>
    permutations(items.toSpliced(i, 1)).map((rest) => [item, ...rest]),
  )
}

const part = (name: string, amount: number, by: Part['by'] = 'the gateway'): Part => ({
  ...{ name, amount, by, ends: 'made' },
})
const failing = (name: string, amount: number, by: Part['by'] = 'us'): Part => ({
  ...{ name, amount, by, ends: 'failed' },
})
const reversed = (name: string, amount: number, by?: Part['by']): Part => ({
  ...part(name, amount, by),
  ends: 'reversed',
})
const claim = (name: string, amount: number, ends: Claim['ends']): Claim => ({
  ...{ name, amount, ends },
})

const HISTORIES: Readonly<Record<string, History>> = {
  'no refund': { parts: [] },
  'a refund of the whole, at the gateway': { parts: [part('a', 1_000)] },
  'a refund of the whole, by us': { parts: [part('a', 1_000, 'us')] },
  'three parts, at the gateway': { parts: [part('a', 400), part('b', 400), part('c', 200)] },
  'two equal parts, by us and at the gateway': { parts: [part('a', 300, 'us'), part('b', 300)] },
  'a part by us that fails, and one that its room is for': {
    parts: [failing('a', 600), part('b', 600)],
  },
  'a part that fails at the gateway': { parts: [failing('a', 600, 'the gateway')] },
  'a refund by us that is reversed': { parts: [reversed('a', 1_000, 'us')] },
  'two parts that are reversed': { parts: [reversed('a', 600), reversed('b', 400)] },
  'a part by us that is reversed, beside one that stays': {
    parts: [reversed('a', 600, 'us'), part('b', 400)],
  },
  'a dispute that is lost, beside a refund': {
    parts: [part('a', 300)],
    claims: [claim('x', 700, 'lost')],
  },
  'a dispute that is won, and one that stays open': {
    parts: [],
    claims: [claim('x', 1_000, 'won'), claim('y', 250, 'opened')],
  },
  'a part that is captured, and refunded': { parts: [part('a', 700)], captured: 700 },
  'a part that is captured, refunded in part and disputed': {
    parts: [part('a', 200)],
    claims: [claim('x', 500, 'opened')],
    captured: 700,
  },
  'success and failure both, with a refund': { parts: [part('a', 1_000)], denied: true },
  'success and failure both, with a dispute': {
    parts: [],
    claims: [claim('x', 200, 'withdrawn')],
    denied: true,
  },
}

test.each(Object.entries(HISTORIES))(
  'every arrival order of %s ends alike',
  { timeout: 120_000 },
  async (_, history) => {
    for (const order of permutations(arrivalsOf(history))) {
      const title = order.map((each) => (each.kind === 'event' ? each.id : 'answer')).join(', ')
      expect(inAnyOrder(await resultOf(history, order)), title).toEqual(expectedOf(history, order))
    }
  },
)

/** Up to four parts that come to at most the payment, and often to all of it; and up to two disputes. */
const someHistory: fc.Arbitrary<History> = fc
  .record({
    amounts: fc.array(fc.constantFrom(100, 250, 300, 500), { maxLength: 4 }),
    isWhole: fc.boolean(),
    makers: fc.array(fc.constantFrom<Part['by']>('us', 'the gateway'), {
      minLength: 5,
      maxLength: 5,
    }),
    ends: fc.array(fc.constantFrom<Part['ends']>('made', 'made', 'failed', 'reversed'), {
      minLength: 5,
      maxLength: 5,
    }),
    claims: fc.array(
      fc.record({
        amount: fc.constantFrom(200, 700, 1_000),
        ends: fc.constantFrom<Claim['ends']>('opened', 'won', 'lost', 'withdrawn'),
      }),
      { maxLength: 2 },
    ),
  })
  .map(({ amounts, isWhole, makers, ends, claims }) => {
    const fitting = amounts.filter((_, i) => sum(amounts.slice(0, i + 1).map(minor)) <= AMOUNT)
    const left = AMOUNT - sum(fitting.map(minor))
    const all = isWhole && left > 0 ? [...fitting, left] : fitting
    return {
      parts: all.map((amount, i) => ({
        ...{ name: `r${i}`, amount, by: makers[i] ?? 'us', ends: ends[i] ?? 'made' },
      })),
      claims: claims.map((each, i) => ({ ...each, name: `d${i}` })),
    }
  })

function minor(amount: number) {
  return { amount }
}

/** Puts arrivals into the order that the numbers give. */
function shuffle(arrivals: readonly Arrival[], numbers: readonly number[]): Arrival[] {
  return arrivals
    .map((arrival, i) => ({ arrival, at: numbers[i % numbers.length] ?? 0, i }))
    .toSorted((one, other) => one.at - other.at || one.i - other.i)
    .map(({ arrival }) => arrival)
}

/** Few beside the other tests, many in the full proof. */
const RUNS = process.env['PROOF'] === 'full' ? 40 : 15

const someNumbers = fc.array(fc.nat(), { minLength: 32, maxLength: 32 })

test('events that come twice, under one id or two, change nothing', { timeout: 180_000 }, () =>
  fc.assert(
    fc.asyncProperty(someHistory, someNumbers, async (history, numbers) => {
      const once = arrivalsOf(history)
      const again = once
        .filter((each) => each.kind === 'event')
        .flatMap((each, i) => {
          const kind = Number(numbers[i]) % 3
          if (kind === 0) return []
          return [kind === 1 ? each : { ...each, id: `${each.id} again` }]
        })
      const order = shuffle([...once, ...again], numbers)
      const firsts = order.filter((each, i) => {
        const name = (one: Arrival) => (one.kind === 'event' ? one.id.replace(' again', '') : '')
        return each.kind === 'answer' || order.findIndex((one) => name(one) === name(each)) === i
      })
      const named = firsts.map((each) =>
        each.kind === 'event' ? { ...each, id: each.id.replace(' again', '') } : each,
      )
      const result = inAnyOrder(await resultOf(history, order))
      expect(result).toEqual(expectedOf(history, named))
    }),
    { numRuns: RUNS },
  ),
)

test('of events that are lost, the rest ends alike in two orders', { timeout: 180_000 }, () =>
  fc.assert(
    fc.asyncProperty(someHistory, someNumbers, someNumbers, async (history, one, other) => {
      const some = arrivalsOf(history).filter((_, i) => Number(one[i]) % 4 > 0)
      const results = []
      for (const numbers of [one.toReversed(), other]) {
        const { forwarded, ...state } = inAnyOrder(await resultOf(history, shuffle(some, numbers)))
        // The opening of a dispute is forwarded if it comes before the end, as is a refund before it is reversed.
        const told = forwarded.filter((type) => !/^(dispute.opened|payment.refunded)$/.test(type))
        results.push({ ...state, forwarded: told })
      }
      expect(results[0]).toEqual(results[1])
    }),
    { numRuns: RUNS },
  ),
)

test('a refund in the room of one that is reversed is made, in every order', async () => {
  const history = { parts: [reversed('a', AMOUNT), part('b', AMOUNT)] }
  for (const order of permutations(arrivalsOf(history))) {
    const { forwarded, ...state } = inAnyOrder(await resultOf(history, order))
    // Where b was here first, a did not fit, and was told of by its failure alone.
    expect(forwarded).toEqual(expect.arrayContaining(['payment.refunded', 'payment.refund_failed']))
    expect(expectedOf(history, order)).toMatchObject(state)
  }
})

test.each([
  ['a refund', 1_000],
  ['a refund of a part', 400],
])('%s without a name is made and fails: in every order it has failed', async (_, amount) => {
  const about = (type: string): Arrival => ({ kind: 'event', id: type, type, amount })
  const arrivals = [event('succeeded'), about('payment.refunded'), about('refund.failed')]
  for (const order of permutations(arrivals)) {
    const { status, net, refunds, alerts, forwarded } = await resultOf({ parts: [] }, order)
    expect({ status, net, alerts }).toEqual({ status: 'succeeded', net: AMOUNT, alerts: [] })
    expect(refunds).toMatchObject([{ amount, state: 'failed' }])
    expect(forwarded).toContain('payment.refund_failed')
  }
})

test('of a capture and a void the first stands, with an alert', async () => {
  const [held, taken, free] = [event('authorised'), event('succeeded'), event('voided')]
  for (const order of permutations([held, taken, free])) {
    const isTaken = order.indexOf(taken) < order.indexOf(free)
    const state = await resultOf({ parts: [], captured: AMOUNT }, order)
    expect(state).toMatchObject({
      ...{ status: isTaken ? 'succeeded' : 'failed', taken: isTaken ? AMOUNT : 0 },
      ...{ parked: [], alerts: ['PAYMENT_STATE_CONFLICT'] },
    })
  }
})

test('of two ends of a dispute the first stands, with an alert', async () => {
  const lost = claim('x', 300, 'lost')
  const arrivals = [event('succeeded'), disputeEvent(lost, 'lost'), disputeEvent(lost, 'won')]
  for (const order of permutations(arrivals)) {
    const isLost = order.indexOf(arrivals[1] as Arrival) < order.indexOf(arrivals[2] as Arrival)
    const { disputes, disputed, alerts } = await resultOf({ parts: [] }, order)
    expect(disputes).toMatchObject([{ status: isLost ? 'lost' : 'won' }])
    expect(disputed).toBe(isLost ? 300 : 0)
    expect(alerts).toEqual(['PAYMENT_STATE_CONFLICT'])
  }
})

test('refunds of more than was taken are alerted, and the books stay within it', async () => {
  const arrivals = [event('succeeded'), refundEvent(part('a', 600)), refundEvent(part('b', 600))]
  for (const order of permutations(arrivals)) {
    const { status, refunds, alerts, net } = await resultOf({ parts: [] }, order)
    expect(status).toBe('succeeded')
    expect(refunds).toMatchObject([{ amount: 600, state: 'made' }])
    expect(net).toBe(400)
    expect(alerts).toEqual(['PAYMENT_EVENT_MISMATCH'])
  }
})
