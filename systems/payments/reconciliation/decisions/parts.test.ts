import { sealAudits, verifyAudits } from '@posthorn/operate'
import type { PoolClient } from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import { paymentsDatabase } from '../../testing/running.ts'
import { CAMT_02 } from '../formats/testing/samples.ts'
import { giveRefund, runReconciling } from '../testing/reconciling.ts'
import { mistakesOf } from '../testing/small-world.ts'

const db = await paymentsDatabase()
const { newUser } = await runReconciling(db)
const reason = 'the bank said so'
const status = 'succeeded'

describe('a run', () => {
  test('matches money that went out with refunds, by any name of theirs', async () => {
    const me = await newUser()
    const payment = await me.pay('A', 10_000, { status })
    const refunds = [
      await giveRefund(db.pool, { of: payment, amount: 1_000, ref: 're_1' }),
      await giveRefund(db.pool, { of: payment, amount: 1_000, ref: 're_2' }),
      await giveRefund(db.pool, { of: payment, amount: 2_000, ref: 're_3' }),
    ]
    await giveRefund(db.pool, { of: payment, amount: 3_000, status: 'failed' })
    const id = await me.upload([
      { name: 'A', amount: '100.00' },
      { name: 're_2', amount: '-10.00' },
      { name: 'A', amount: '-10.00' },
      { name: 'A', amount: '-10.00' },
      { name: refunds[2] ?? '', amount: '-20.00' },
      { name: 'A', amount: '-30.00' },
      { name: 'B', amount: '-10.00' },
    ])
    expect(await me.run(id)).toMatchObject({ matched: 4, unmatched: 3 })
    expect(await me.records(id)).toMatchObject([
      { matchedAs: 'payment', paymentIds: [payment], refundIds: [] },
      { matchedAs: 'refund', matchedPaymentId: payment, paymentIds: [], refundIds: [refunds[1]] },
      { matchedAs: 'refund', refundIds: [refunds[0]] },
      { status: 'unmatched', reason: 'duplicate' },
      { matchedAs: 'refund', refundIds: [refunds[2]] },
      { status: 'unmatched', reason: 'amount_mismatch' },
      { status: 'unmatched', reason: 'no_match' },
    ])
    // Again: nothing is different, and no refund is used twice.
    expect(await me.run(id)).toMatchObject({ matched: 4 })
    const other = await me.upload([{ name: 're_1', amount: '-10.00' }])
    expect(await me.run(other)).toMatchObject({ matched: 0, reasons: { duplicate: 1 } })
    expect(await mistakesOf(db.pool, me)).toEqual([])
    // Taken back, it is free for the other.
    await me.post(`/${id}/records/4/unmatch`, { reason })
    expect(await me.run(other)).toMatchObject({ matched: 1 })
    expect((await me.get(`/${id}/records/4`)).body['history']).toMatchObject([
      { reason: 'manual_unmatch' },
      { reason: 'exact_match', paymentId: payment },
    ])
  })

  test('matches what a payment was before the fee that the file names', async () => {
    const me = await newUser()
    const payment = await me.pay('order-4711', 5_000, { status })
    const { body } = await me.send(CAMT_02)
    const id = String(body['id'])
    expect(await me.run(id)).toMatchObject({ matched: 1 })
    expect((await me.records(id))[0]).toMatchObject({
      matchedPaymentId: payment,
      reason: 'exact_match',
      amount: 4_950,
      fee: 50,
      gross: 5_000,
      adjustment: { amount: -50, kind: 'fee' },
    })
    expect(await mistakesOf(db.pool, me)).toEqual([])
  })
})

test('of a payment that was captured in part, that part is compared', async () => {
  const me = await newUser()
  const id = await me.pay('held', 1_000, { captured: 700 })
  const file = await me.upload([
    { name: 'held', amount: '7.00' },
    { name: 'held', amount: '10.00' },
  ])
  expect(await me.run(file)).toMatchObject({ matched: 1, reasons: { amount_mismatch: 1 } })
  expect(await me.records(file)).toMatchObject([{ matchedPaymentId: id }, { status: 'unmatched' }])
  expect(await mistakesOf(db.pool, me)).toEqual([])
})

describe('by hand', () => {
  test('a payout is its payments, less refunds and fee', async () => {
    const me = await newUser()
    const paymentIds = [await me.pay('a', 6_000, { status }), await me.pay('b', 4_000, { status })]
    const refund = await giveRefund(db.pool, { of: String(paymentIds[0]), amount: 1_500 })
    const id = await me.upload([{ name: 'payout', amount: '83.00' }])
    await me.run(id)
    const match = { paymentIds, refundIds: [refund], reason }
    const short = await me.post(`/${id}/records/2/match`, match)
    expect(short).toMatchObject({ status: 409, body: { code: 'AMOUNTS_DIFFER', difference: -200 } })
    const adjustment = { amount: -200, kind: 'fee' }
    const { body } = await me.post(`/${id}/records/2/match`, { ...match, adjustment })
    expect(body).toMatchObject({
      matchedAs: 'payment',
      refundIds: [refund],
      fee: 200,
      gross: 8_500,
    })
    expect(await mistakesOf(db.pool, me)).toEqual([])
    const again = await me.upload([{ name: 'x', amount: '-15.00' }])
    await me.run(again)
    const taken = await me.post(`/${again}/records/2/match`, { refundIds: [refund], reason })
    expect(taken).toMatchObject({
      status: 409,
      body: { code: 'PAYMENT_TAKEN', refundId: refund, reconciliationId: id, recordId: '2' },
    })
  })

  test('a payment is paid in parts, never in more than it is, and is missing until all came', async () => {
    const me = await newUser()
    const paymentId = await me.pay('a', 1_000, { status })
    const id = await me.upload([
      { name: 'x', amount: '6.00' },
      { name: 'y', amount: '5.00' },
      { name: 'z', amount: '4.00' },
      { name: 'w', amount: '10.00' },
    ])
    await me.run(id)
    const match = (line: number, more = {}) =>
      me.post(`/${id}/records/${line}/match`, { paymentId, part: true, reason, ...more })
    const missing = async () => ((await me.get(`/${id}/missing`)).body['items'] as unknown[]).length
    expect((await match(2)).body).toMatchObject({ matchedAs: 'part', matchedPaymentId: paymentId })
    expect(await missing()).toBe(1)
    expect(await match(3)).toMatchObject({
      status: 409,
      body: { code: 'PART_TOO_LARGE', left: 400 },
    })
    expect(await match(5, { part: false })).toMatchObject({ body: { code: 'PAYMENT_TAKEN' } })
    // Nor does a run take what is paid in parts.
    const later = await me.upload([{ name: 'a', amount: '10.00' }])
    expect(await me.run(later)).toMatchObject({ matched: 0, reasons: { duplicate: 1 } })
    expect((await match(4)).status).toBe(200)
    expect(await missing()).toBe(0)
    expect(await match(3)).toMatchObject({ status: 409, body: { code: 'PART_TOO_LARGE', left: 0 } })
    expect(await mistakesOf(db.pool, me)).toEqual([])
    expect((await match(5, { refundIds: [paymentId] })).status).toBe(400)
  })

  test('many at once are stored together, and what is refused says why', async () => {
    const me = await newUser()
    const [one, two] = [await me.pay('a', 100, { status }), await me.pay('b', 200, { status })]
    const id = await me.upload([
      { name: 'x', amount: '1.00' },
      { name: 'y', amount: '1.00' },
      { name: 'b', amount: '2.01' },
      { name: 'z', amount: '9.00' },
      { name: 'v', amount: '9.00' },
    ])
    await me.run(id)
    const passes = [{ kind: 'amount_tolerance', absolute: 5 }]
    await me.post(`/${id}/suggest`, { passes })
    const [suggestion] = (await me.get(`/${id}/suggestions`)).body['items'] as { id: string }[]
    const {
      status: answered,
      body,
      text,
    } = await me.post(`/${id}/decisions`, {
      reason,
      decisions: [
        { do: 'match', recordId: '2', paymentIds: [one] },
        { do: 'match', recordId: '3', paymentIds: [one] },
        { do: 'accept', suggestionId: suggestion?.id },
        { do: 'ignore', recordId: '5', version: 0 },
        { do: 'ignore', recordId: '6', version: 7 },
        { do: 'unmatch', recordId: '6' },
        { do: 'accept', suggestionId: suggestion?.id },
        { do: 'ignore', recordId: '99' },
      ],
    })
    expect(answered, text).toBe(200)
    expect(body['applied']).toMatchObject([
      { id: '2', paymentIds: [one], reason: 'manual_match' },
      { id: '4', paymentIds: [two], adjustment: { amount: 1, kind: 'rounding' } },
      { id: '5', reason: 'ignored' },
    ])
    expect(body['refused']).toMatchObject([
      { index: 1, recordId: '3', code: 'PAYMENT_TAKEN' },
      { index: 4, recordId: '6', code: 'DECISION_STALE' },
      { index: 5, recordId: '6', code: 'DECISION_NOT_POSSIBLE' },
      { index: 6, suggestionId: suggestion?.id, code: 'SUGGESTION_CLOSED' },
      { index: 7, recordId: '99', code: 'NOT_FOUND', detail: 'There is no such record.' },
    ])
    expect((await me.get(`/${id}`)).body).toMatchObject({ matched: 2, unmatched: 3 })
    expect(await mistakesOf(db.pool, me)).toEqual([])
    const bad = { reason, decisions: [{ do: 'match', recordId: '3' }] }
    expect((await me.post(`/${id}/decisions`, bad)).status).toBe(400)
  })
})

describe('of two who use one payment at the same time, the first has it', () => {
  const PART = `update payments.reconciliation_records
                   set status = 'matched', matched_payment_id = $2, decided_by = 'manual',
                       matched_as = 'part'
                 where run_id = $1 and line_number = $3`
  const WHOLE = PART.replace("'part'", 'null')

  /** A writer in a transaction of its own, which takes no advisory lock. */
  async function reckless(): Promise<PoolClient> {
    const client = await db.pool.connect()
    onTestFinished(async () => {
      await client.query('rollback')
      client.release()
    })
    await client.query('begin')
    return client
  }

  test.each([
    ['part and part', PART, PART, 'reconciliation_parts_within_payment'],
    ['part and whole', PART, WHOLE, 'reconciliation_payment_once'],
    ['whole and part', WHOLE, PART, 'reconciliation_payment_once'],
  ])('%s', async (_name, first, second, constraint) => {
    const me = await newUser()
    const payment = await me.pay('wanted', 100, { status })
    const id = await me.upload([
      { name: 'x', amount: '0.60' },
      { name: 'y', amount: '0.60' },
    ])
    await me.run(id)
    const [one, two] = [await reckless(), await reckless()]
    await one.query(first, [id, payment, 2])
    const late = two.query(second, [id, payment, 3]).then(
      () => 'done',
      (error: { constraint?: string }) => error.constraint,
    )
    const waiting = async () =>
      (
        await db.pool.query(
          `select 1 from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock'`,
        )
      ).rows.length
    await expect.poll(waiting).toBe(1)
    await one.query('commit')
    expect(await late).toBe(constraint)
  })
})

test('missing payments are those of a period, once the bank has had its business days', async () => {
  const me = await newUser()
  const { rows } = await db.pool.query<{ now: Date }>('select posthorn.now() as now')
  const now = rows[0]?.now ?? new Date()
  const day = (back: number) => new Date(now.getTime() - back * 86_400_000)
  const date = (back: number) => day(back).toISOString().slice(0, 10)
  const backs = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 20]
  for (const back of backs) {
    await me.pay(`d${back}`, 100, { status: 'succeeded', createdAt: day(back).toISOString() })
  }
  const id = await me.upload([{ name: 'x', amount: '1.00' }])
  await me.run(id)
  const missing = async (query: string) =>
    ((await me.get(`/${id}/missing?${query}`)).body['items'] as { externalPaymentId: string }[])
      .map((payment) => payment.externalPaymentId)
      .toSorted()
  const names = (chosen: readonly number[]) => chosen.map((back) => `d${back}`).toSorted()
  /** Mondays to Fridays after a day, until today. */
  const businessDaysSince = (back: number) =>
    Array.from({ length: back }, (_, i) => day(i).getUTCDay()).filter((of) => of !== 0 && of !== 6)
      .length
  for (const days of [0, 1, 2, 3, 5, 7]) {
    const due = backs.filter((back) => businessDaysSince(back) >= days)
    expect(await missing(`settlesWithin=${days}`), `T+${days}`).toEqual(names(due))
  }
  expect(await missing('settlesWithin=366')).toEqual([])
  expect(await missing(`from=${date(5)}`)).toEqual(names([0, 1, 2, 3, 4, 5]))
  expect(await missing(`from=${date(5)}&to=${date(1)}`)).toEqual(names([1, 2, 3, 4, 5]))
  for (const query of ['from=2026-02-30', 'settlesWithin=-1', 'from=2026-03-02&to=2026-03-01']) {
    expect((await me.get(`/${id}/missing?${query}`)).status, query).toBe(400)
  }
})

test('refunds that no line has are listed to choose from', async () => {
  const me = await newUser()
  const payment = await me.pay('A', 1_000, { status: 'succeeded' })
  const [used, free] = [
    await giveRefund(db.pool, { of: payment, amount: 300 }),
    await giveRefund(db.pool, { of: payment, amount: 200 }),
  ]
  await giveRefund(db.pool, { of: payment, amount: 100, status: 'failed' })
  const id = await me.upload([{ name: 'bank', amount: '-3.00' }])
  await me.run(id)
  const listed = async (query = '') =>
    ((await me.get(`/${id}/refunds?${query}`)).body['items'] as { id: string }[]).map(
      (refund) => refund.id,
    )
  expect(await listed()).toEqual([free, used].toSorted().toReversed())
  expect(await listed('currency=USD')).toEqual([])
  const body = { reason: 'by the reference of the gateway', refundIds: [used] }
  expect(await me.post(`/${id}/records/2/match`, body)).toMatchObject({
    status: 200,
    body: { status: 'matched', matchedAs: 'refund', refundIds: [used] },
  })
  expect(await listed('currency=EUR')).toEqual([free])
})

test('what a line was before is only added to, and a change of it is found', async () => {
  const me = await newUser()
  const id = await me.upload([{ name: 'x', amount: '1.00' }])
  await me.run(id)
  await me.post(`/${id}/records/2/ignore`, { reason })
  await me.post(`/${id}/records/2/reopen`, { reason })
  const change = `update payments.reconciliation_history set note = 'x' where run_id = '${id}'`
  await expect(db.pool.query(change)).rejects.toMatchObject({ code: '42501' })
  await sealAudits(db.pool)
  expect((await verifyAudits(db.pool)).findings).toEqual([])
  await db.pool.query(`begin; set local session_replication_role = replica; ${change}; commit`)
  const { findings } = await verifyAudits(db.pool)
  expect(new Set(findings.map(({ kind, audit }) => `${kind} ${audit}`))).toEqual(
    new Set(['changed payments.reconciliation_history']),
  )
})
