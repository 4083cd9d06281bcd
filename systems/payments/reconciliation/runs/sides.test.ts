import { describe, expect, test } from 'vitest'
import { paymentsDatabase } from '../../testing/running.ts'
import { giveDispute, giveRefund, runReconciling, type Person } from '../testing/reconciling.ts'
import { mistakesOf } from '../testing/small-world.ts'

const db = await paymentsDatabase()
const { newUser } = await runReconciling(db)
const { pool } = db

/** What became of each line, by its name. */
async function outcomes(me: Person, id: string) {
  const records = await me.records(id)
  return records.map(({ externalTransactionId: name, reason, matchedAs, matchedPaymentId }) => [
    name,
    reason,
    matchedAs,
    matchedPaymentId,
  ])
}

const move = (id: string, status: string) =>
  pool.query('update payments.payments set status = $2 where id = $1', [id, status])

describe('a payment that has not succeeded', () => {
  test('is matched, and an exception until it has', async () => {
    const me = await newUser()
    const pending = await me.pay('waits', 1_000, { status: 'pending' })
    const failed = await me.pay('failed', 2_000, { status: 'failed' })
    const paid = await me.pay('paid', 3_000)
    const id = await me.upload([
      { name: 'waits', amount: '10.00' },
      { name: 'failed', amount: '20.00' },
      { name: 'paid', amount: '30.00' },
    ])
    const reasons = { exact_match: 1, payment_not_succeeded: 2 }
    const result = { matched: 3, unmatched: 0, total: 3, matchRate: 100, reasons }
    expect((await me.post(`/${id}/run`, { dryRun: true })).body).toMatchObject(result)
    expect(await me.run(id)).toMatchObject(result)
    expect(await outcomes(me, id)).toEqual([
      ['waits', 'payment_not_succeeded', 'payment', pending],
      ['failed', 'payment_not_succeeded', 'payment', failed],
      ['paid', 'exact_match', 'payment', paid],
    ])
    const listed = async (path = '/exceptions') => (await me.get(path)).body
    expect(await listed()).toMatchObject({
      items: [
        {
          reason: 'payment_not_succeeded',
          record: { status: 'matched' },
          payment: { id: pending },
        },
        { reason: 'payment_not_succeeded', payment: { id: failed, status: 'failed' } },
      ],
      counts: {
        tabs: { all: 2, needs_attention: 2, awaiting: 0 },
        reasons: { payment_not_succeeded: 2 },
      },
    })
    expect((await me.get('/overview')).body).toMatchObject({
      openExceptions: 2,
      moneyMatched: { EUR: '6000' },
      moneyAtRisk: { EUR: '3000' },
    })
    expect((await listed(`/${id}/exceptions?reason=no_match`))['items']).toEqual([])

    await move(pending, 'succeeded')
    expect((await outcomes(me, id))[0]).toEqual(['waits', 'exact_match', 'payment', pending])
    expect(await listed()).toMatchObject({
      items: [{ payment: { id: failed } }],
      counts: { tabs: { all: 1 }, reasons: { payment_not_succeeded: 1 } },
    })
    expect((await me.get('/overview')).body).toMatchObject({ openExceptions: 1 })
    expect((await me.get(`/${id}`)).body['reasons']).toMatchObject({
      exact_match: 2,
      payment_not_succeeded: 1,
    })
    // The next run writes it into the history, and changes nothing else.
    expect(await me.run(id)).toMatchObject({
      matched: 3,
      reasons: { exact_match: 2, payment_not_succeeded: 1 },
    })
    const { history } = (await me.get(`/${id}/records/2`)).body as { history: object[] }
    expect(history).toMatchObject([
      { reason: 'exact_match', runNo: 2 },
      { reason: 'payment_not_succeeded', runNo: 1 },
    ])
    expect(await mistakesOf(pool, me)).toEqual([])
  })

  test('is one by hand too, and goes with its match', async () => {
    const me = await newUser()
    const one = await me.pay('x', 400, { status: 'pending' })
    const two = await me.pay('y', 600)
    const id = await me.upload([{ name: 'payout', amount: '10.00' }])
    await me.run(id)
    const reason = 'a payout'
    const match = { paymentIds: [two, one], reason }
    const matched = await me.post(`/${id}/records/2/match`, match)
    expect(matched.body, matched.text).toMatchObject({
      status: 'matched',
      reason: 'payment_not_succeeded',
    })
    await move(one, 'succeeded')
    expect((await me.records(id))[0]).toMatchObject({ reason: 'manual_match' })
    expect((await me.get(`/${id}`)).body['reasons']).toMatchObject({ manual_match: 1 })
    // What it is by now is what a decision takes back.
    await me.post(`/${id}/records/2/unmatch`, { reason })
    expect((await me.get(`/${id}`)).body).toMatchObject({
      matched: 0,
      reasons: { manual_match: 0, payment_not_succeeded: 0, manual_unmatch: 1 },
    })
    expect(await mistakesOf(pool, me)).toEqual([])
  })

  test('goes with its file', async () => {
    const me = await newUser()
    await me.pay('waits', 1_000, { status: 'pending' })
    const id = await me.upload([{ name: 'waits', amount: '10.00' }])
    await me.run(id)
    expect((await me.post(`/${id}/discard`, { reason: 'wrong' })).status).toBe(200)
    expect((await me.records(id))[0]).toMatchObject({ status: 'unmatched', reason: 'discarded' })
    expect((await me.get('/exceptions')).body).toMatchObject({
      items: [],
      counts: { tabs: { all: 0 } },
    })
  })
})

describe('money that went out', () => {
  test('is matched with refunds and disputes, by each of their names', async () => {
    const me = await newUser()
    const names = ['ext', 'ours', 'gateway', 'charge'] as const
    const paid: string[] = []
    const lines: { name: string; amount: string }[] = []
    const expected: (readonly [string, string, string])[] = []
    for (const [kind, amount, give] of [
      ['refund', 100, giveRefund],
      ['dispute', 200, giveDispute],
    ] as const) {
      for (const name of names) {
        const gatewayRef = `ch_${kind}_${name}`
        const of = await me.pay(`${kind}-${name}`, 1_000, { gatewayRef })
        const ref = `re_${kind}_${name}`
        const id = await give(pool, { of, amount, ref })
        paid.push(of)
        const called = { ext: `${kind}-${name}`, ours: id, gateway: ref, charge: gatewayRef }[name]
        lines.push({ name: called, amount: `-${amount / 100}.00` })
        expected.push([called, kind, of])
      }
    }
    const id = await me.upload(lines)
    expect(await me.run(id)).toMatchObject({ matched: 8, total: 8, reasons: { exact_match: 8 } })
    expect(await outcomes(me, id)).toEqual(
      expected.map(([name, kind, of]) => [name, 'exact_match', kind, of]),
    )
    const records = await me.records(id)
    expect(
      records.map(({ refundIds, disputeIds }) => [refundIds.length, disputeIds.length]),
    ).toEqual([...names.map(() => [1, 0]), ...names.map(() => [0, 1])])
    // The payments themselves are as free as before.
    expect((await me.get(`/${id}/missing?limit=200`)).body['items']).toHaveLength(paid.length)
    const again = await me.upload(lines)
    expect(await me.run(again)).toMatchObject({ matched: 0, reasons: { duplicate: 8 } })
    expect(await mistakesOf(pool, me)).toEqual([])
  })

  test('several disputes of a payment go to several lines, lost and open ones first', async () => {
    const me = await newUser()
    const of = await me.pay('A', 1_000)
    const won = await giveDispute(pool, { of, amount: 300, status: 'won', ref: 'dp_1' })
    const lost = await giveDispute(pool, { of, amount: 300, status: 'lost', ref: 'dp_2' })
    const refund = await giveRefund(pool, { of, amount: 50 })
    const id = await me.upload([
      { name: 'A', amount: '-3.00' },
      { name: 'A', amount: '-3.00' },
      { name: 'A', amount: '-3.00' },
      { name: 'A', amount: '-0.50' },
    ])
    await me.run(id)
    expect(await me.records(id)).toMatchObject([
      { disputeIds: [lost] },
      { disputeIds: [won] },
      { reason: 'duplicate' },
      { refundIds: [refund] },
    ])
  })

  test('is matched with disputes by hand, also those that a payout was paid less', async () => {
    const me = await newUser()
    const paid = await me.pay('A', 1_000, { gatewayRef: 'ch_hand' })
    const first = await giveDispute(pool, { of: paid, amount: 250, ref: 'dp_a' })
    const second = await giveDispute(pool, { of: paid, amount: 150, ref: 'dp_b' })
    const newest = [first, second].toSorted().toReversed()
    const id = await me.upload([
      { name: 'chargeback', amount: '-2.50' },
      { name: 'payout', amount: '8.50' },
    ])
    await me.run(id)
    const free = async () => (await me.get(`/${id}/disputes`)).body['items'] as { id: string }[]
    expect((await free()).map((each) => each.id)).toEqual(newest)
    expect((await free()).find((each) => each.id === second)).toMatchObject({
      ...{ paymentId: paid, gatewayRef: 'dp_b', amount: 150, status: 'opened' },
    })
    const reason = 'by the report of the gateway'
    const match = (line: number, body: object) =>
      me.post(`/${id}/records/${line}/match`, { reason, ...body })
    expect((await match(2, { disputeIds: [first] })).body).toMatchObject({
      matchedAs: 'dispute',
      matchedPaymentId: paid,
      paymentIds: [],
      disputeIds: [first],
    })
    expect(await match(3, { paymentIds: [paid], disputeIds: [first] })).toMatchObject({
      status: 409,
      body: { code: 'PAYMENT_TAKEN', disputeId: first, recordId: '2' },
    })
    expect((await match(3, { paymentIds: [paid], disputeIds: [second] })).body).toMatchObject({
      matchedAs: 'payment',
      disputeIds: [second],
    })
    const { text } = await me.get(`/${id}/export.csv?kind=matched`)
    expect(text).toContain(first)
    expect(await mistakesOf(pool, me)).toEqual([])
    await me.post(`/${id}/discard`, { reason })
    expect(await free()).toHaveLength(2)
  })
})

describe("a line that has the gateway's reference", () => {
  test('is matched with its payment, and explained where it is not', async () => {
    const me = await newUser()
    const ref = { gatewayRef: 'ch_1' }
    const one = await me.pay('order-1', 1_000, ref)
    const two = await me.pay(null, 2_000, { gatewayRef: 'ch_2' })
    const three = await me.pay('order-3', 3_000, { gatewayRef: 'ch_3' })
    const waits = await me.pay('order-4', 4_000, { gatewayRef: 'ch_4', status: 'pending' })
    const id = await me.upload([
      { name: 'ch_1', amount: '10.00' },
      { name: 'ch_2', amount: '20.00' },
      { name: 'ch_2', amount: '20.00' },
      { name: 'ch_3', amount: '29.00' },
      { name: 'ch_3', amount: '30.00', currency: 'USD' },
      { name: 'ch_4', amount: '40.00' },
      { name: 'ch_5', amount: '50.00' },
    ])
    expect(await me.run(id)).toMatchObject({ matched: 3, total: 7 })
    expect(await outcomes(me, id)).toEqual([
      ['ch_1', 'exact_match', 'payment', one],
      ['ch_2', 'exact_match', 'payment', two],
      ['ch_2', 'duplicate', null, null],
      ['ch_3', 'amount_mismatch', null, null],
      ['ch_3', 'currency_mismatch', null, null],
      ['ch_4', 'payment_not_succeeded', 'payment', waits],
      ['ch_5', 'no_match', null, null],
    ])
    expect((await me.get(`/${id}/missing`)).body['items']).toMatchObject([{ id: three }])
  })

  test('comes after the one that has the name of the payment', async () => {
    const me = await newUser()
    const paid = await me.pay('order', 1_000, { gatewayRef: 'ch_9' })
    const id = await me.upload([
      { name: 'ch_9', amount: '10.00' },
      { name: 'order', amount: '10.00' },
    ])
    expect(await me.run(id)).toMatchObject({ matched: 1 })
    expect(await outcomes(me, id)).toEqual([
      ['ch_9', 'duplicate', null, null],
      ['order', 'exact_match', 'payment', paid],
    ])
  })
})
