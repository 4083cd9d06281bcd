import { describe, expect, test } from 'vitest'
import { paymentsDatabase } from '../../testing/running.ts'
import { giveRefund, runReconciling, type GivenLine, type Person } from '../testing/reconciling.ts'

const db = await paymentsDatabase()
const { newUser, as } = await runReconciling(db)

interface SuggestionView {
  readonly id: string
  readonly recordId: string
  readonly kind: string
  readonly paymentIds: string[]
  readonly difference: number
  readonly ambiguous: boolean
}

async function reconcile(me: Person, lines: readonly GivenLine[]) {
  const id = await me.upload(lines)
  await me.run(id)
  return {
    id,
    async suggest(...passes: object[]): Promise<SuggestionView[]> {
      const { status, body } = await me.post(`/${id}/suggest`, { passes })
      expect(status, JSON.stringify(body)).toBe(200)
      const listed = await me.get(`/${id}/suggestions`)
      return listed.body['items'] as SuggestionView[]
    },
  }
}

const TOLERANT = { kind: 'amount_tolerance', absolute: 5, bps: 10 }

describe('amount tolerance', () => {
  test('suggests the payment of the name whose amount is near, and matches nothing', async () => {
    const me = await newUser()
    const payments = [
      await me.pay('A', 1_000),
      await me.pay('B', 100_000),
      await me.pay('C', 1_000),
    ]
    const { id, suggest } = await reconcile(me, [
      { name: 'A', amount: '9.95' },
      { name: 'B', amount: '999.01' },
      { name: 'C', amount: '9.94' },
    ])
    expect(await suggest(TOLERANT)).toMatchObject([
      { recordId: '2', paymentIds: [payments[0]], difference: -5, ambiguous: false },
      { recordId: '3', paymentIds: [payments[1]], difference: -99, ambiguous: false },
    ])
    expect((await me.records(id)).every(({ status }) => status === 'unmatched')).toBe(true)
  })

  test('says when there is more than one, and finds the same again', async () => {
    const me = await newUser()
    await me.pay('A', 1_000)
    await me.pay('A', 1_002)
    const { suggest } = await reconcile(me, [{ name: 'A', amount: '10.01' }])
    const first = await suggest(TOLERANT)
    expect(first).toHaveLength(2)
    expect(first.every(({ ambiguous }) => ambiguous)).toBe(true)
    const again = await suggest(TOLERANT)
    expect(again.map(({ id }) => id)).toEqual(first.map(({ id }) => id))
  })
})

describe('date window', () => {
  const window = { kind: 'date_window', before: 1, after: 3 }

  test('suggests the same amount of those days under another name', async () => {
    const me = await newUser()
    const near = await me.pay('x', 700, { createdAt: '2026-11-01T12:00:00Z' })
    await me.pay('y', 700, { createdAt: '2026-10-31T12:00:00Z' })
    await me.pay('z', 701, { createdAt: '2026-11-02T12:00:00Z' })
    const { suggest } = await reconcile(me, [{ name: 'bank', amount: '7.00' }])
    expect(await suggest(window)).toMatchObject([
      { paymentIds: [near], difference: 0, ambiguous: false, kind: 'date_window' },
    ])
  })

  test('a payment that two records could have is ambiguous', async () => {
    const me = await newUser()
    await me.pay('x', 700, { createdAt: '2026-11-02T12:00:00Z' })
    const { suggest } = await reconcile(me, [
      { name: 'bank-1', amount: '7.00' },
      { name: 'bank-2', amount: '7.00' },
    ])
    expect(await suggest(window)).toMatchObject([{ ambiguous: true }, { ambiguous: true }])
  })

  test('suggests nothing for amounts that many records share', async () => {
    const me = await newUser()
    const lines = Array.from({ length: 60 }, (_, i) => ({ name: `bank-${i}`, amount: '7.00' }))
    await me.pay('x', 700, { createdAt: '2026-11-02T12:00:00Z' })
    const { suggest } = await reconcile(me, lines)
    expect(await suggest(window)).toEqual([])
  })
})

describe('many to one', () => {
  const payout = (fee?: object) => ({
    kind: 'many_to_one',
    by: { metadata: 'payout' },
    ...(fee && { fee }),
  })

  test('finds the payments of a payout, less its fee, and matches them when accepted', async () => {
    const me = await newUser()
    const metadata = { payout: 'po_1' }
    const ids = [
      await me.pay('a', 1_000, { metadata, status: 'succeeded' }),
      await me.pay('b', 2_000, { metadata, status: 'succeeded' }),
      await me.pay('c', 3_000, { metadata, status: 'succeeded' }),
    ]
    // Neither what failed nor what may yet fail is in a payout.
    await me.pay('e', 500, { metadata, status: 'failed' })
    await me.pay('f', 700, { metadata, status: 'pending' })
    await me.pay('d', 9_000, { metadata: { payout: 'po_2' } })
    const { id, suggest } = await reconcile(me, [{ name: 'po_1', amount: '58.50' }])
    expect(await suggest(payout())).toEqual([])
    const [suggestion] = await suggest(payout({ bps: 300 }))
    const adjustment = { amount: -150, kind: 'fee' }
    expect(suggestion).toMatchObject({ difference: -150, adjustment, ambiguous: false })
    expect(suggestion?.paymentIds).toEqual(ids.toSorted())
    const accept = `/${id}/suggestions/${suggestion?.id}/accept`
    const { status, body } = await me.post(accept, { reason: 'as the PSP reports', version: 0 })
    expect(status, JSON.stringify(body)).toBe(200)
    expect(body).toMatchObject({
      status: 'matched',
      decidedBy: 'manual',
      adjustment: { amount: -150, kind: 'fee' },
    })
    expect(body['paymentIds']).toEqual(ids.toSorted())
    expect((await me.post(accept)).body).toMatchObject({ code: 'SUGGESTION_CLOSED' })
    expect((await me.get(`/${id}/totals`)).body['currencies']).toMatchObject([
      { fileTotal: '5850', matched: '5850', adjustments: '-150' },
    ])
    expect(await me.run(id)).toMatchObject({ matched: 1 })
  })

  test('takes what was refunded for a refund, not for a fee', async () => {
    const me = await newUser()
    const metadata = { payout: 'po_9' }
    const ids = [await me.pay('a', 10_000, { metadata }), await me.pay('b', 5_000, { metadata })]
    const refund = await giveRefund(db.pool, { of: String(ids[0]), amount: 500 })
    const { id, suggest } = await reconcile(me, [{ name: 'po_9', amount: '143.00' }])
    const found = await suggest(payout({ bps: 1_000 }))
    expect(found).toMatchObject([
      { refundIds: [refund], difference: -200, adjustment: { amount: -200, kind: 'fee' } },
    ])
    const accepted = await me.post(`/${id}/suggestions/${found[0]?.id}/accept`)
    expect(accepted.body).toMatchObject({
      paymentIds: ids.toSorted(),
      refundIds: [refund],
      adjustment: { amount: -200, kind: 'fee' },
    })
  })

  test('by a payout that payments are told after they were made', async () => {
    const me = await newUser()
    const ids = [await me.pay('a', 100), await me.pay('b', 250, { metadata: { till: 4 } })]
    const client = await as({ org: me.org })
    for (const id of ids) {
      const { status, text } = await client.send(`/api/v1/payments/${id}`, {
        method: 'PATCH',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ metadata: { payout: 'po_late' } }),
      })
      expect(status, text).toBe(200)
    }
    const { suggest } = await reconcile(me, [{ name: 'po_late', amount: '3.50' }])
    expect(await suggest(payout())).toMatchObject([
      { paymentIds: ids.toSorted(), adjustment: null, ambiguous: false },
    ])
  })

  test('never by a day: what lies between may be anything', async () => {
    const me = await newUser()
    const { id } = await reconcile(me, [{ name: 'settlement', amount: '3.50' }])
    const passes = [{ kind: 'many_to_one', by: 'date', before: 2 }]
    expect((await me.post(`/${id}/suggest`, { passes })).status).toBe(400)
  })
})

describe('one to many', () => {
  const split = (fee?: object) => ({ kind: 'one_to_many', ...(fee && { fee }) })

  test('finds a payment that was paid in several lines, and matches all of them', async () => {
    const me = await newUser()
    const payment = await me.pay('A', 10_000, { status: 'succeeded' })
    await me.pay('B', 5_000, { status: 'failed' })
    const { id, suggest } = await reconcile(me, [
      { name: 'A', amount: '60.00' },
      { name: 'B', amount: '20.00' },
      { name: 'A', amount: '39.50' },
      { name: 'B', amount: '30.00' },
    ])
    expect(await suggest(split())).toEqual([])
    const [suggestion] = await suggest(split({ absolute: 50 }))
    expect(suggestion).toMatchObject({
      recordId: '2',
      recordIds: ['2', '4'],
      paymentIds: [payment],
      difference: -50,
      ambiguous: false,
    })
    const accepted = await me.post(`/${id}/suggestions/${suggestion?.id}/accept`)
    expect(accepted.body).toMatchObject({ id: '2', status: 'matched', matchedAs: 'part' })
    expect(await me.records(id)).toMatchObject([
      { matchedAs: 'part', matchedPaymentId: payment, amount: 6_000, adjustment: null },
      { status: 'unmatched' },
      { matchedAs: 'part', matchedPaymentId: payment, amount: 3_950, fee: 50, gross: 4_000 },
      { status: 'unmatched' },
    ])
    expect((await me.get(`/${id}/missing`)).body['items']).toEqual([])
  })
})

test('money that went out is suggested with a refund of that amount', async () => {
  const me = await newUser()
  const payment = await me.pay('A', 1_000, { status: 'succeeded' })
  const refund = await giveRefund(db.pool, { of: payment, amount: 400 })
  const today = new Date().toISOString().slice(0, 10)
  const { id, suggest } = await reconcile(me, [{ name: 'RETURN', amount: '-4.00', date: today }])
  const [suggestion] = await suggest({ kind: 'date_window', before: 2, after: 2 })
  expect(suggestion).toMatchObject({ paymentIds: [], refundIds: [refund], difference: 0 })
  const { body } = await me.post(`/${id}/suggestions/${suggestion?.id}/accept`)
  expect(body).toMatchObject({ matchedAs: 'refund', matchedPaymentId: payment, paymentIds: [] })
})

describe('an answer', () => {
  test('no is kept: it is not suggested again', async () => {
    const me = await newUser()
    await me.pay('A', 1_000)
    const { id, suggest } = await reconcile(me, [{ name: 'A', amount: '10.01' }])
    const [suggestion] = await suggest(TOLERANT)
    await me.post(`/${id}/suggestions/${suggestion?.id}/dismiss`, { reason: 'another one' })
    expect(await suggest(TOLERANT)).toEqual([])
  })

  test('yes is refused once the payment is taken', async () => {
    const me = await newUser()
    await me.pay('A', 1_000)
    const { id, suggest } = await reconcile(me, [{ name: 'A', amount: '10.01' }])
    const [suggestion] = await suggest(TOLERANT)
    await me.run(await me.upload([{ name: 'A', amount: '10.00' }]))
    const answer = await me.post(`/${id}/suggestions/${suggestion?.id}/accept`)
    expect(answer).toMatchObject({ status: 409, body: { code: 'PAYMENT_TAKEN' } })
  })
})

test.each([
  [[]],
  [[{ kind: 'guess' }]],
  [[{ kind: 'date_window', before: 400, after: 0 }]],
  [[{ kind: 'amount_tolerance', bps: -1 }]],
  [[{ kind: 'many_to_one', by: { metadata: '' } }]],
])('passes %j are 400', async (passes) => {
  const me = await newUser()
  const { id } = await reconcile(me, [{ name: 'A', amount: '1.00' }])
  expect((await me.post(`/${id}/suggest`, { passes })).status).toBe(400)
})
