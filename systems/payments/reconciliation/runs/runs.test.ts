import { describe, expect, test } from 'vitest'
import { paymentsDatabase } from '../../testing/running.ts'
import { reconcilerOf, runReconciling } from '../testing/reconciling.ts'

const db = await paymentsDatabase()
const running = await runReconciling(db)
const { newUser } = running
const reasonsOf = (records: readonly { reason: string | null }[]) =>
  records.map(({ reason }) => reason)

describe('a run', () => {
  test('matches by amount, currency and name, and says why it did not', async () => {
    const me = await newUser()
    const exact = await me.pay('A', 1_050)
    const other = await me.pay('B', 2_000)
    const foreign = await me.pay('C', 3_000, { currency: 'USD' })
    const id = await me.upload([
      { name: 'A', amount: '10.50' },
      { name: 'A', amount: '10.50' },
      { name: 'B', amount: '20.01' },
      { name: 'C', amount: '30.00' },
      { name: 'D', amount: '40.00' },
    ])
    const result = await me.run(id)
    expect(result).toMatchObject({ matched: 1, unmatched: 4, total: 5, matchRate: 20 })
    expect(result['reasons']).toMatchObject({
      exact_match: 1,
      duplicate: 1,
      amount_mismatch: 1,
      currency_mismatch: 1,
      no_match: 1,
    })
    const records = await me.records(id)
    expect(records[0]).toMatchObject({ status: 'matched', matchedPaymentId: exact })
    expect(reasonsOf(records)).toEqual([
      'exact_match',
      'duplicate',
      'amount_mismatch',
      'currency_mismatch',
      'no_match',
    ])
    const { body } = await me.get(`/${id}/details`)
    const candidates = (body['items'] as { paymentId: string | null }[]).map((d) => d.paymentId)
    expect(candidates).toEqual([exact, exact, other, foreign, null])
  })

  test('takes payments of any status', async () => {
    const me = await newUser()
    await me.pay('A', 100, { status: 'pending' })
    await me.pay('B', 100, { status: 'failed' })
    const id = await me.upload([
      { name: 'A', amount: '1.00' },
      { name: 'B', amount: '1.00' },
    ])
    expect(await me.run(id)).toMatchObject({ matched: 2, matchRate: 100 })
  })

  test.each(['succeeded', 'refunded', 'pending'] as const)(
    'prefers a payment that is %s to an older one that failed',
    async (status) => {
      const me = await newUser()
      const declined = await me.pay('A', 100, { status: 'failed' })
      const second = await me.pay('A', 100, { status })
      const id = await me.upload([
        { name: 'A', amount: '1.00' },
        { name: 'A', amount: '1.00' },
      ])
      await me.run(id)
      const records = await me.records(id)
      expect(records.map((record) => record.matchedPaymentId)).toEqual([second, declined])
    },
  )

  test('names the payment that took money as the one that comes nearest', async () => {
    const me = await newUser()
    await me.pay('A', 100, { status: 'failed' })
    await me.pay('A', 100, { status: 'pending' })
    const taken = await me.pay('A', 100, { status: 'succeeded' })
    const id = await me.upload([{ name: 'A', amount: '9.00' }])
    await me.run(id)
    const { body } = await me.get(`/${id}/details`)
    expect(body['items']).toMatchObject([{ reason: 'amount_mismatch', paymentId: taken }])
  })

  test('gives equal payments to equal lines one by one, the oldest to the first', async () => {
    const me = await newUser()
    const first = await me.pay('A', 100)
    const second = await me.pay('A', 100)
    const id = await me.upload([
      { name: 'A', amount: '1.00' },
      { name: 'A', amount: '1.00', date: '2026-11-03' },
      { name: 'A', amount: '1.00' },
    ])
    expect(await me.run(id)).toMatchObject({ matched: 2, matchRate: 66.67 })
    const records = await me.records(id)
    expect(records.map(({ matchedPaymentId }) => matchedPaymentId)).toEqual([
      first < second ? first : second,
      first < second ? second : first,
      null,
    ])
    expect(records[2]).toMatchObject({ reason: 'duplicate' })
  })

  test('sees a payment that another file has taken', async () => {
    const me = await newUser()
    await me.pay('A', 100)
    const first = await me.upload([{ name: 'A', amount: '1.00' }])
    const second = await me.upload([{ name: 'A', amount: '1.00' }])
    await me.run(first)
    expect(await me.run(second)).toMatchObject({ matched: 0, reasons: { duplicate: 1 } })
  })

  test('again changes nothing that is matched, and matches what has come since', async () => {
    const me = await newUser()
    await me.pay('A', 100)
    const id = await me.upload([
      { name: 'A', amount: '1.00' },
      { name: 'B', amount: '2.00' },
      { name: 'C', amount: '3.00' },
    ])
    await me.run(id)
    const [before] = await me.records(id)
    expect(await me.run(id)).toMatchObject({ matched: 1, unmatched: 2 })
    await me.pay('B', 200)
    await me.pay('C', 333)
    expect(await me.run(id)).toMatchObject({ matched: 2, unmatched: 1, matchRate: 66.67 })
    const records = await me.records(id)
    expect(records[0]).toEqual(before)
    expect(reasonsOf(records)).toEqual(['exact_match', 'exact_match', 'amount_mismatch'])
  })

  test('says what it would do and does nothing', async () => {
    const me = await newUser()
    await me.pay('A', 100)
    const id = await me.upload([
      { name: 'A', amount: '1.00' },
      { name: 'B', amount: '1.00' },
    ])
    const { body } = await me.post(`/${id}/run`, { dryRun: true })
    expect((await me.get(`/${id}`)).body).toMatchObject({ status: 'loaded', runNo: 0, matched: 0 })
    expect(reasonsOf(await me.records(id))).toEqual([null, null])
    expect(await me.run(id)).toEqual(body)
  })

  test('is audited and announced to the merchant, once for each run', async () => {
    const me = await newUser()
    const { body: endpoint } = await (
      await running.as({ sub: me.user, org: me.org })
    ).send('/api/v1/webhook-endpoints', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        url: `${running.url}/sim/merchant/hooks`,
        eventTypes: ['reconciliation.completed'],
      }),
    })
    const id = await me.upload([{ name: 'A', amount: '1.00' }])
    await me.run(id)
    await me.run(id)
    const audit = await db.pool.query(
      `select actor, details from payments.audit_log
        where action = 'reconciliation.completed' and entity_id = $1 order by seq`,
      [id],
    )
    expect(audit.rows).toMatchObject([
      { actor: me.user, details: { runNo: 1, matched: 0, total: 1 } },
      { actor: me.user, details: { runNo: 2 } },
    ])
    const events = await db.pool.query(
      `select payload from payments.webhook_deliveries where endpoint_id = $1 order by position`,
      [endpoint['id']],
    )
    expect(events.rows.map(({ payload }) => payload.data)).toMatchObject([
      { reconciliationId: id, runNo: 1, matched: 0, unmatched: 1, matchRate: 0 },
      { reconciliationId: id, runNo: 2 },
    ])
  })

  test('has totals that tie out to the cent, by currency', async () => {
    const me = await newUser()
    await me.pay('A', 1_001)
    const id = await me.upload([
      { name: 'A', amount: '10.01' },
      { name: 'B', amount: '20.02' },
      { name: 'C', amount: '-5.00' },
      { name: 'J', amount: '300', currency: 'JPY' },
    ])
    await me.run(id)
    await me.pay('B', 2_002)
    await me.run(id)
    const { body } = await me.get(`/${id}/totals`)
    expect(body['currencies']).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          ...{ currency: 'EUR', fileTotal: '2503' },
          ...{ opening: '1001', matched: '2002', unmatched: '-500', adjustments: '0' },
        }),
        expect.objectContaining({ currency: 'JPY', fileTotal: '300', unmatched: '300' }),
      ]),
    )
  })
})

describe('payments that no record names', () => {
  test('are listed, newest first, with pages', async () => {
    const me = await newUser()
    const missing = [await me.pay('X', 1), await me.pay(null, 2), await me.pay('Z', 3)]
    await me.pay('A', 100)
    await me.pay('B', 200, { status: 'pending' })
    const id = await me.upload([
      { name: 'A', amount: '1.00' },
      { name: 'B', amount: '9.00' },
    ])
    await me.run(id)
    const first = await me.get(`/${id}/missing?limit=2`)
    const second = await me.get(`/${id}/missing?limit=2&cursor=${String(first.body['nextCursor'])}`)
    const items = [first, second].flatMap(({ body }) => body['items'] as { id: string }[])
    expect(items.map((item) => item.id)).toEqual(missing.toSorted().toReversed())
    expect(second.body['nextCursor']).toBeNull()
  })

  test('are listed if they took money, although a record has their name', async () => {
    const me = await newUser()
    const short = await me.pay('A', 100, { status: 'succeeded' })
    const [first, second] = [
      await me.pay('B', 200, { status: 'succeeded' }),
      await me.pay('B', 200, { status: 'refunded' }),
    ].toSorted()
    await me.pay('A', 100, { status: 'failed' })
    await me.pay('B', 200, { status: 'pending' })
    const id = await me.upload([
      { name: 'A', amount: '0.97' },
      { name: 'B', amount: '2.00' },
    ])
    await me.run(id)
    expect((await me.records(id))[1]).toMatchObject({ matchedPaymentId: first })
    const { body } = await me.get(`/${id}/missing`)
    const ids = (body['items'] as { id: string }[]).map((item) => item.id)
    expect(new Set(ids)).toEqual(new Set([short, second]))
  })
})

describe('another member of the organisation', () => {
  test('works on the same files, under their own name', async () => {
    const me = await newUser()
    const bob = reconcilerOf(await running.as({ sub: 'bob', org: me.org }))
    await me.pay('A', 100)
    const id = await me.upload([{ name: 'A', amount: '1.00' }])
    expect((await bob.get(`/${id}`)).body).toMatchObject({ uploadedBy: me.user })
    expect((await bob.get('')).body['items']).toMatchObject([{ id }])
    expect(await bob.run(id)).toMatchObject({ matched: 1 })
    await bob.post(`/${id}/records/2/unmatch`, { reason: 'not ours' })
    const { rows } = await db.pool.query(
      `select actor, action, entity_type from payments.audit_log
        where org_id = $1 order by seq`,
      [me.org],
    )
    expect(rows).toEqual([
      { actor: me.user, action: 'reconciliation.uploaded', entity_type: 'reconciliation' },
      { actor: 'bob', action: 'reconciliation.completed', entity_type: 'reconciliation' },
      {
        actor: 'bob',
        action: 'reconciliation.record_unmatched',
        entity_type: 'reconciliation_record',
      },
    ])
  })
})

describe('another organisation', () => {
  test('finds nothing', async () => {
    const caller = { sub: 'user-1', org: 'evil' }
    const me = await newUser()
    await me.pay('A', 100)
    const id = await me.upload([{ name: 'A', amount: '1.00' }])
    const other = reconcilerOf(await running.as(caller))
    const paths = ['', '/records', '/records/2', '/details', '/missing', '/totals']
    const more = ['/export.csv', '/exceptions', '/suggestions']
    for (const path of [...paths, ...more]) {
      expect((await other.get(`/${id}${path}`)).status, path).toBe(404)
    }
    const reason = { reason: 'mine' }
    for (const [path, body] of [
      ['/run', undefined],
      ['/suggest', { passes: [{ kind: 'date_window', before: 1, after: 1 }] }],
      ['/records/2/match', { ...reason, paymentId: id }],
      ['/records/2/unmatch', reason],
      ['/records/2/ignore', reason],
      [`/suggestions/${id}/accept`, undefined],
    ] as const) {
      expect((await other.post(`/${id}${path}`, body)).status, path).toBe(404)
    }
    // Nor does a run see their payments.
    const theirs = await other.upload([{ name: 'A', amount: '1.00' }])
    expect(await other.run(theirs)).toMatchObject({ matched: 0, reasons: { no_match: 1 } })
  })
})
