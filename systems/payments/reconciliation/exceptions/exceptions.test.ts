import { describe, expect, test } from 'vitest'
import { paymentsDatabase } from '../../testing/running.ts'
import { runReconciling } from '../testing/reconciling.ts'
import { ageOf } from './exception.ts'

const db = await paymentsDatabase()
const { newUser } = await runReconciling(db)

const ageRun = (id: string, days: number) =>
  db.pool.query(
    `update payments.reconciliation_runs
        set created_at = created_at - $2::int * interval '1 day' where id = $1`,
    [id, days],
  )

describe('exceptions', () => {
  test('show both sides and where they differ', async () => {
    const me = await newUser()
    const payment = await me.pay('A', 1_000, { currency: 'USD' })
    const id = await me.upload([
      { name: 'A', amount: '10.01' },
      { name: 'B', amount: '1.00' },
    ])
    await me.run(id)
    const { body } = await me.get(`/${id}/exceptions`)
    expect(body['items']).toMatchObject([
      {
        reconciliationId: id,
        filename: 'bank.csv',
        reason: 'currency_mismatch',
        age: '<1d',
        record: { id: '2', amount: 1_001, currency: 'EUR' },
        payment: { id: payment, amount: 1_000, currency: 'USD', externalPaymentId: 'A' },
        differences: [
          { field: 'amount', record: 1_001, payment: 1_000 },
          { field: 'currency', record: 'EUR', payment: 'USD' },
        ],
      },
      { reason: 'no_match', payment: null, differences: [] },
    ])
  })

  test('are counted by tab, reason and age, and listed by them, over all files', async () => {
    const me = await newUser()
    await me.pay('A', 1_000)
    await me.pay('M', 1_000)
    const old = await me.upload([
      { name: 'A', amount: '10.01' },
      { name: 'B', amount: '1.00' },
      { name: 'M', amount: '10.00' },
    ])
    const fresh = await me.upload([
      { name: 'C', amount: '1.00' },
      { name: 'M', amount: '10.00' },
    ])
    await me.run(old)
    await me.run(fresh)
    await ageRun(old, 8)
    await me.post(`/${old}/suggest`, { passes: [{ kind: 'amount_tolerance', absolute: 1 }] })
    const { body } = await me.get('/exceptions')
    expect(body['counts']).toEqual({
      tabs: { all: 4, needs_attention: 2, awaiting: 1, suggested: 1, stale: 2 },
      reasons: {
        payment_not_succeeded: 0,
        no_match: 2,
        duplicate: 1,
        amount_mismatch: 1,
        currency_mismatch: 0,
        manual_unmatch: 0,
        reopened: 0,
      },
      ages: { '<1d': 2, '1-7d': 0, '7-30d': 2, '30d+': 0 },
    })
    const listed = async (query: string) => {
      const page = await me.get(`/exceptions?${query}`)
      const items = page.body['items'] as { reconciliationId: string; record: { id: string } }[]
      return items.map((item) => [item.reconciliationId === old ? 'old' : 'fresh', item.record.id])
    }
    expect(await listed('tab=all')).toEqual([
      ['fresh', '2'],
      ['fresh', '3'],
      ['old', '2'],
      ['old', '3'],
    ])
    expect(await listed('tab=needs_attention')).toEqual([
      ['fresh', '3'],
      ['old', '2'],
    ])
    expect(await listed('tab=awaiting')).toEqual([['fresh', '2']])
    expect(await listed('tab=stale&reason=no_match')).toEqual([['old', '3']])
    expect(await listed('tab=suggested')).toEqual([['old', '2']])
    const first = await me.get('/exceptions?limit=3')
    expect(await listed(`limit=3&cursor=${String(first.body['nextCursor'])}`)).toEqual([
      ['old', '3'],
    ])
    expect((await me.get('/exceptions?tab=nothing')).status).toBe(400)
    expect((await me.get('/exceptions?cursor=nothing')).status).toBe(400)
  })

  test('have an age by days', () => {
    const day = 86_400
    expect([0, day - 1, day, 7 * day - 1, 7 * day, 30 * day - 1, 30 * day].map(ageOf)).toEqual([
      ...['<1d', '<1d', '1-7d', '1-7d', '7-30d', '7-30d', '30d+'],
    ])
  })
})

describe('the overview', () => {
  test('has the figures of all files of the user, and the last 14 days', async () => {
    const me = await newUser()
    await me.pay('A', 1_000)
    const id = await me.upload([
      { name: 'A', amount: '10.00' },
      { name: 'B', amount: '2.50' },
      { name: 'C', amount: '1.00', currency: 'USD' },
    ])
    await me.run(id)
    await me.post(`/${id}/records/4/ignore`, { reason: 'not ours' })
    const { body } = await me.get('/overview')
    const figures = {
      total: 3,
      matched: 1,
      reconciliationRate: 33.33,
      moneyMatched: { EUR: '1000' },
      moneyAtRisk: { EUR: '250' },
    }
    expect(body).toMatchObject({ ...figures, openExceptions: 1, staleExceptions: 0 })
    const days = body['days'] as { day: string; total: number }[]
    expect(days).toHaveLength(14)
    expect(days.at(-1)).toMatchObject({ day: new Date().toISOString().slice(0, 10), ...figures })
    expect(days.slice(0, -1).every(({ total }) => total === 0)).toBe(true)
  })

  test('of a user without files is zero', async () => {
    const me = await newUser()
    expect((await me.get('/overview')).body).toMatchObject({
      reconciliationRate: 0,
      moneyMatched: {},
      openExceptions: 0,
    })
  })
})
