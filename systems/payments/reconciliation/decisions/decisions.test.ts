import { describe, expect, test } from 'vitest'
import { paymentsDatabase } from '../../testing/running.ts'
import { runReconciling, type Person } from '../testing/reconciling.ts'

const db = await paymentsDatabase()
const { newUser } = await runReconciling(db)

/** A file with one line that was reconciled. */
async function oneLine(me: Person, amount = '10.00') {
  const id = await me.upload([{ name: 'bank-1', amount }])
  await me.run(id)
  return { id, record: `/${id}/records/2` }
}

const reason = 'the bank said so'

describe('a match by hand', () => {
  test('is kept by the next runs, and audited', async () => {
    const me = await newUser()
    const payment = await me.pay('ours-1', 1_000)
    const { id, record } = await oneLine(me)
    const { status, body } = await me.post(`${record}/match`, { paymentId: payment, reason })
    expect(status).toBe(200)
    expect(body).toMatchObject({ status: 'matched', decidedBy: 'manual', reason: 'manual_match' })
    const before = await me.records(id)
    expect(await me.run(id)).toMatchObject({ matched: 1, reasons: { manual_match: 1 } })
    expect(await me.records(id)).toEqual(before)
    const { rows } = await db.pool.query(
      `select actor, action, details from payments.audit_log where entity_id = $1`,
      [`${id}/2`],
    )
    expect(rows).toEqual([
      {
        actor: me.user,
        action: 'reconciliation.record_matched',
        details: { reason, from: 'no_match', to: 'manual_match', paymentIds: [payment] },
      },
    ])
  })

  test('of several payments uses each of them once, on every path', async () => {
    const me = await newUser()
    const ids = [await me.pay('a', 300), await me.pay('b', 400), await me.pay('c', 300)]
    const { id, record } = await oneLine(me)
    const { body } = await me.post(`${record}/match`, { paymentIds: ids, reason })
    expect(body).toMatchObject({ matchedPaymentId: ids[0], version: 1 })
    expect((body['paymentIds'] as string[]).toSorted()).toEqual(ids.toSorted())
    // By a run …
    const other = await me.upload([
      { name: 'a', amount: '3.00' },
      { name: 'b', amount: '4.00' },
    ])
    expect(await me.run(other)).toMatchObject({ matched: 0, reasons: { duplicate: 2 } })
    // … by hand …
    const taken = await me.post(`/${other}/records/3/match`, { paymentId: ids[1], reason })
    expect(taken).toMatchObject({
      status: 409,
      body: { code: 'PAYMENT_TAKEN', reconciliationId: id, recordId: '2', paymentId: ids[1] },
    })
    // … and by the database alone, from both sides.
    const asRecord = db.pool.query(
      `update payments.reconciliation_records
          set status = 'matched', matched_payment_id = $2, decided_by = 'manual'
        where run_id = $1 and line_number = 2`,
      [other, ids[1]],
    )
    await expect(asRecord).rejects.toMatchObject({ constraint: 'reconciliation_payment_once' })
    const asLink = db.pool.query(
      `insert into payments.reconciliation_links (payment_id, run_id, line_number)
       values ($2, $1, 2)`,
      [id, ids[0]],
    )
    await expect(asLink).rejects.toMatchObject({ constraint: 'reconciliation_payment_once' })
    const alone = db.pool.query(
      `insert into payments.reconciliation_links (payment_id, run_id, line_number)
       values ($2, $1, 2)`,
      [other, await me.pay('d', 1)],
    )
    await expect(alone).rejects.toMatchObject({ constraint: 'reconciliation_links_matched' })
    // Taken back, they are free again.
    await me.post(`${record}/unmatch`, { reason })
    expect(await me.run(other)).toMatchObject({ matched: 2 })
  })

  test('names what is left over, and adds up with it', async () => {
    const me = await newUser()
    const payment = await me.pay('a', 1_025)
    const { id, record } = await oneLine(me)
    const ask = (more: object) =>
      me.post(`${record}/match`, { paymentId: payment, reason, ...more })
    expect(await ask({})).toMatchObject({
      status: 409,
      body: { code: 'AMOUNTS_DIFFER', difference: -25 },
    })
    expect((await ask({ adjustment: { amount: -24, kind: 'fee' } })).status).toBe(409)
    const { body } = await ask({ adjustment: { amount: -25, kind: 'fee' } })
    expect(body).toMatchObject({ adjustment: { amount: -25, kind: 'fee' } })
    const totals = (await me.get(`/${id}/totals`)).body['currencies']
    expect(totals).toMatchObject([{ matched: '1000', unmatched: '0', adjustments: '-25' }])
  })

  test.each([
    ['no payment', {}, 400],
    ['two ways to name it', { paymentId: true, paymentIds: true }, 400],
    ['no reason', { paymentId: true, reason: undefined }, 400],
    ['an adjustment of nothing', { paymentId: true, adjustment: { amount: 0, kind: 'fee' } }, 400],
    ['an unknown payment', { paymentId: '018f0000-0000-7000-8000-000000000000' }, 404],
  ])('with %s is refused', async (_name, given: Record<string, unknown>, status) => {
    const me = await newUser()
    const payment = await me.pay('a', 1_000)
    const { id, record } = await oneLine(me)
    const asked = {
      reason,
      ...given,
      ...(given['paymentId'] === true && { paymentId: payment }),
      ...(given['paymentIds'] === true && { paymentIds: [payment] }),
    }
    expect((await me.post(`${record}/match`, asked)).status).toBe(status)
    expect(await me.records(id)).toMatchObject([{ status: 'unmatched', version: 0 }])
  })

  test("with another organisation's payment or another currency is refused", async () => {
    const me = await newUser()
    const theirs = await (await newUser()).pay('a', 1_000)
    const dollars = await me.pay('a', 1_000, { currency: 'USD' })
    const { record } = await oneLine(me)
    const ask = (paymentId: string) => me.post(`${record}/match`, { paymentId, reason })
    expect((await ask(theirs)).status).toBe(404)
    expect((await ask(dollars)).body).toMatchObject({ code: 'CURRENCIES_DIFFER' })
  })

  test('comes after the first run', async () => {
    const me = await newUser()
    const paymentId = await me.pay('a', 1_000)
    const id = await me.upload([{ name: 'b', amount: '10.00' }])
    const answer = await me.post(`/${id}/records/2/match`, { paymentId, reason })
    expect(answer).toMatchObject({ status: 409, body: { code: 'RECONCILIATION_NOT_RUN' } })
    expect((await me.post(`/${id}/records/9/match`, { paymentId, reason })).status).toBe(409)
    await me.run(id)
    expect((await me.post(`/${id}/records/9/match`, { paymentId, reason })).status).toBe(404)
  })
})

describe('a decision', () => {
  test('on a record that has changed is 409', async () => {
    const me = await newUser()
    const paymentId = await me.pay('a', 1_000)
    const { record } = await oneLine(me)
    const [first, second] = await Promise.all([
      me.post(`${record}/match`, { paymentId, reason, version: 0 }),
      me.post(`${record}/ignore`, { reason, version: 0 }),
    ])
    expect(new Set([first.status, second.status])).toEqual(new Set([200, 409]))
    const stale = await me.post(`${record}/unmatch`, { reason, version: 7 })
    expect(stale).toMatchObject({ status: 409, body: { code: 'DECISION_STALE', version: 1 } })
  })

  test('taken back stays so: no run matches it again, until it is reopened', async () => {
    const me = await newUser()
    const payment = await me.pay('bank-1', 1_000)
    const { id, record } = await oneLine(me)
    expect(await me.records(id)).toMatchObject([{ matchedPaymentId: payment }])
    const { body } = await me.post(`${record}/unmatch`, { reason })
    expect(body).toMatchObject({ status: 'unmatched', decidedBy: 'manual', paymentIds: [] })
    expect(await me.run(id)).toMatchObject({ matched: 0, reasons: { manual_unmatch: 1 } })
    await me.post(`${record}/reopen`, { reason })
    expect((await me.get(`/${id}`)).body).toMatchObject({ reasons: { reopened: 1 } })
    expect(await me.run(id)).toMatchObject({ matched: 1, reasons: { exact_match: 1 } })
    const { body: whole } = await me.get(record)
    expect((whole['history'] as { reason: string }[]).map((each) => each.reason)).toEqual([
      'exact_match',
      'reopened',
      'manual_unmatch',
      'exact_match',
    ])
  })

  test('to ignore takes a record out of the exceptions, and no run brings it back', async () => {
    const me = await newUser()
    const { id, record } = await oneLine(me)
    const open = async () => (await me.get(`/${id}/exceptions`)).body['items'] as unknown[]
    expect(await open()).toHaveLength(1)
    await me.post(`${record}/ignore`, { reason })
    expect(await open()).toEqual([])
    await me.pay('bank-1', 1_000)
    expect(await me.run(id)).toMatchObject({ matched: 0, unmatched: 1, reasons: { ignored: 1 } })
    expect((await me.post(`${record}/ignore`, { reason })).body).toMatchObject({
      code: 'DECISION_NOT_POSSIBLE',
    })
  })
})

test('a match by hand and a run at once leave one of the two', async () => {
  const me = await newUser()
  for (let round = 0; round < 8; round += 1) {
    const payment = await me.pay(`both-${round}`, 500)
    const id = await me.upload([
      { name: `both-${round}`, amount: '5.00' },
      { name: 'other', amount: '5.00' },
    ])
    await me.run(await me.upload([{ name: 'x', amount: '1.00' }]))
    const first = await me.post(`/${id}/run`, { dryRun: true })
    expect(first.body).toMatchObject({ matched: 1 })
    await me.post(`/${id}/run`)
    await me.post(`/${id}/records/2/unmatch`, { reason })
    await me.post(`/${id}/records/2/reopen`, { reason })
    const [match, run] = await Promise.all([
      me.post(`/${id}/records/3/match`, { paymentId: payment, reason }),
      me.post(`/${id}/run`),
    ])
    expect(run.status).toBe(200)
    const matched = (await me.records(id)).filter(({ status }) => status === 'matched')
    expect(matched).toMatchObject([{ id: match.status === 200 ? '3' : '2' }])
  }
})
