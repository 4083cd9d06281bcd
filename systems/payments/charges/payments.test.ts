import { randomUUID } from 'node:crypto'
import type { Queryable } from '@posthorn/engine'
import { advanceClock, useMovableClock } from '@posthorn/operate'
import { expect, test } from 'vitest'
import { paymentsDatabase, runPayments } from '../testing/running.ts'
import { selectPayments, type PaymentPage } from './queries.ts'

const db = await paymentsDatabase()
const running = await runPayments(db)
const ada = await running.as({})

/** What the gateway charged for a payment. */
async function chargesOf(id: unknown): Promise<number> {
  const { charges } = await running.ledger()
  return charges.filter((charge) => charge.reference === id && charge.status === 'succeeded').length
}

test('a payment is created, charged once, and succeeds by the webhook', async () => {
  const order = {
    amount: 1_999,
    currency: 'EUR',
    externalPaymentId: 'order-1',
    description: 'a lamp',
    metadata: { shop: { till: 4 } },
  }
  const { status, body } = await ada.pay('first', order)
  expect(status).toBe(201)
  expect(body).toEqual({
    id: expect.any(String) as string,
    status: 'pending',
    amount: 1_999,
    currency: 'EUR',
    externalPaymentId: 'order-1',
    gatewayRef: expect.stringMatching(/^ch_/) as string,
    createdAt: expect.stringMatching(/^\d{4}-/) as string,
  })
  await expect.poll(async () => (await ada.payment(body['id']))['status']).toBe('succeeded')
  expect(await ada.payment(body['id'])).toMatchObject({ ...order, userId: 'ada', errorCode: null })
  expect(await chargesOf(body['id'])).toBe(1)
  expect(await ada.actions(body['id'])).toEqual([
    'payment.created',
    'payment.charged',
    'webhook.processed',
  ])
})

test('a repeat gets the same bytes, in any order of fields', async () => {
  const first = await ada.pay('repeat', { amount: 500, currency: 'EUR', metadata: { a: 1, b: 2 } })
  expect(first.headers.get('idempotent-replayed')).toBeNull()
  const again = await ada.pay('repeat', { currency: 'EUR', metadata: { b: 2, a: 1 }, amount: 500 })
  expect(again.status).toBe(200)
  expect(again.text).toBe(first.text)
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  expect(again.headers.get('content-type')).toBe(first.headers.get('content-type'))
  expect(await chargesOf(first.body['id'])).toBe(1)
})

test('another request under the same key is refused and says nothing of the first', async () => {
  const first = await ada.pay('reused')
  const other = await ada.pay('reused', { amount: 1_001, currency: 'EUR' })
  expect(other).toMatchObject({ status: 409, body: { code: 'IDEMPOTENCY_KEY_REUSED' } })
  expect(other.text).not.toContain(String(first.body['id']))
})

test('a key belongs to a user', async () => {
  const mine = await ada.pay('shared')
  const bob = await running.as({ sub: 'bob' })
  const eve = await running.as({ org: 'other' })
  const ids = [mine, await bob.pay('shared'), await eve.pay('shared')].map(({ status, body }) => {
    expect(status).toBe(201)
    return body['id']
  })
  expect(new Set(ids).size).toBe(3)
})

test('two hundred at once with one key: one 201, one charge', async () => {
  const answers = await Promise.all(Array.from({ length: 200 }, () => ada.pay('stampede')))
  const by = Object.groupBy(answers, ({ status }) => status)
  expect(by[201]).toHaveLength(1)
  expect(answers.filter(({ status }) => ![200, 201, 409].includes(status))).toEqual([])
  for (const { headers, body } of by[409] ?? []) {
    expect(body['code']).toBe('IDEMPOTENCY_KEY_IN_FLIGHT')
    expect(headers.get('retry-after')).toBe('1')
  }
  const [created] = by[201] ?? []
  for (const { text } of by[200] ?? []) expect(text).toBe(created?.text)
  expect(await chargesOf(created?.body['id'])).toBe(1)
  const { rows } = await db.pool.query(
    "select count(*)::int from payments.idempotency_keys where key = 'stampede'",
  )
  expect(rows).toEqual([{ count: 1 }])
})

test('a decline is stored and replayed', async () => {
  const first = await ada.pay('declined', { amount: 1_002, currency: 'EUR' })
  expect(first).toMatchObject({
    status: 422,
    body: { code: 'PAYMENT_DECLINED', retryable: false, gatewayCode: 'card_declined' },
  })
  expect(first.headers.get('content-type')).toContain('application/problem+json')
  const id = first.body['paymentId']
  expect(await ada.payment(id)).toMatchObject({ status: 'failed', errorCode: 'card_declined' })
  expect(await ada.actions(id)).toContain('gateway_error')
  const again = await ada.pay('declined', { amount: 1_002, currency: 'EUR' })
  expect(again).toMatchObject({ status: 422, text: first.text })
  expect(again.headers.get('idempotent-replayed')).toBe('true')
})

test('a gateway that broke before charging: failed for good, stored', async () => {
  const first = await ada.pay('broken', { amount: 1_050, currency: 'EUR' })
  expect(first).toMatchObject({ status: 422, body: { code: 'GATEWAY_ERROR', retryable: false } })
  const id = first.body['paymentId']
  expect(await ada.payment(id)).toMatchObject({ status: 'failed' })
  expect(await ada.actions(id)).toEqual(['payment.created', 'gateway_error'])
  const again = await ada.pay('broken', { amount: 1_050, currency: 'EUR' })
  expect(again).toMatchObject({ status: 422, text: first.text })
})

test('a gateway that charged and never answers: open, then replayed', async () => {
  const order = { amount: 1_008, currency: 'EUR' }
  const first = await ada.pay('silent', order)
  expect(first).toMatchObject({ status: 422, body: { code: 'GATEWAY_ERROR', retryable: true } })
  expect(await ada.pay('silent', order)).toMatchObject({
    status: 409,
    body: { code: 'IDEMPOTENCY_KEY_IN_FLIGHT' },
  })
  await expect.poll(async () => (await ada.pay('silent', order)).status).toBe(200)
  const again = await ada.pay('silent', order)
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  expect(again.body).toMatchObject({ id: first.body['paymentId'], amount: 1_008 })
  expect(await chargesOf(again.body['id'])).toBe(1)
  expect(await ada.actions(again.body['id'])).toEqual(
    expect.arrayContaining(['payment.created', 'gateway_error', 'payment.charged']),
  )
})

test('a gateway that was away is asked again until it charges, once', async () => {
  await running.gateway('faults', { mode: 'drop', times: 2 })
  const first = await ada.pay('away')
  expect(first).toMatchObject({ status: 422, body: { retryable: true } })
  await expect.poll(async () => (await ada.pay('away')).status).toBe(200)
  expect(await chargesOf(first.body['paymentId'])).toBe(1)
})

test('bad requests are refused by field, before their key is claimed', async () => {
  const bad: [object, string][] = [
    [{ amount: 0, currency: 'EUR' }, 'amount'],
    [{ amount: 10.5, currency: 'EUR' }, 'amount'],
    [{ amount: '10', currency: 'EUR' }, 'amount'],
    [{ amount: 1e15, currency: 'EUR' }, 'amount'],
    [{ amount: 10 }, 'currency'],
    [{ amount: 10, currency: 'eur' }, 'currency'],
    [{ amount: 10, currency: 'XYZ' }, 'currency'],
    [{ amount: 10, currency: 'EUR', externalPaymentId: '' }, 'externalPaymentId'],
    [{ amount: 10, currency: 'EUR', metadata: [] }, 'metadata'],
    [{ amount: 10, currency: 'EUR', colour: 'red' }, 'colour'],
  ]
  for (const [body, field] of bad) {
    const answer = await ada.pay('bad', body)
    expect(answer).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } })
    expect((answer.body['errors'] as { field: string }[]).map((each) => each.field)).toContain(
      field,
    )
  }
  expect((await ada.pay('bad')).status).toBe(201)
})

test.each([undefined, '', 'é', 'x'.repeat(256)])('the key %j cannot be used', async (key) => {
  const answer = await ada.send('/api/v1/payments', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(key !== undefined && { 'idempotency-key': Buffer.from(key).toString('latin1') }),
    },
    body: JSON.stringify({ amount: 10, currency: 'EUR' }),
  })
  expect(answer.status).toBe(400)
  expect(answer.body['code']).toMatch(/^IDEMPOTENCY_KEY_(MISSING|INVALID)$/)
})

test('without a token there is nothing', async () => {
  for (const [method, path] of [
    ['POST', '/api/v1/payments'],
    ['GET', '/api/v1/payments'],
    ['GET', '/api/v1/payments/00000000-0000-7000-8000-000000000000'],
    ['POST', '/api/v1/payments/00000000-0000-7000-8000-000000000000/refunds'],
    ['GET', '/api/v1/payments/00000000-0000-7000-8000-000000000000/audit'],
  ] as const) {
    expect((await fetch(`${running.url}${path}`, { method })).status).toBe(401)
  }
})

test('a payment of another organisation is not there', async () => {
  const { body } = await ada.pay('private')
  const eve = await running.as({ org: 'other' })
  const id = String(body['id'])
  for (const path of [`/api/v1/payments/${id}`, `/api/v1/payments/${id}/audit`]) {
    expect(await eve.send(path)).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } })
  }
  expect((await eve.refund(id)).status).toBe(404)
  expect((await eve.refund(id, 'private')).status).toBe(404)
  expect((await eve.send('/api/v1/payments?limit=200')).text).not.toContain(id)
  const bob = await running.as({ sub: 'bob' })
  expect((await bob.payment(id))['id']).toBe(id)
})

test('lists are newest first, by page and by status', async () => {
  const carl = await running.as({ org: 'lists' })
  const made: unknown[] = []
  for (const amount of [101, 102, 103, 202, 302]) {
    const { body } = await carl.pay(`list-${amount}`, { amount, currency: 'EUR' })
    made.unshift(body['id'] ?? body['paymentId'])
  }
  const seen: unknown[] = []
  let cursor = ''
  for (let page = 0; page < 5; page += 1) {
    const { body } = await carl.send(`/api/v1/payments?limit=2${cursor}`)
    seen.push(...(body['items'] as { id: string }[]).map(({ id }) => id))
    if (body['nextCursor'] === null) break
    cursor = `&cursor=${body['nextCursor'] as string}`
  }
  expect(seen).toEqual(made)
  const { body } = await carl.send('/api/v1/payments?status=failed')
  expect(body['items']).toHaveLength(3)
  for (const query of ['cursor=nonsense', 'limit=0', 'limit=201', 'status=paid']) {
    expect((await carl.send(`/api/v1/payments?${query}`)).status).toBe(400)
  }
})

test('a database that refuses leaves nothing before the charge, and the key as it was', async () => {
  await refusing('payments.transactions', 'insert', async () => {
    const answer = await ada.pay('no database')
    expect(answer).toMatchObject({ status: 500, body: { code: 'INTERNAL' } })
    expect(answer.body['detail']).toContain('Please try again')
  })
  const { rows } = await db.pool.query(
    "select from payments.idempotency_keys where key = 'no database'",
  )
  expect(rows).toEqual([])
  expect((await ada.pay('no database')).status).toBe(201)
})

test('a database that refuses after the charge: the completer ends it, once', async () => {
  await refusing('payments.transactions', 'update', async () => {
    expect((await ada.pay('no end')).status).toBe(500)
    expect((await ada.pay('no end')).status).toBe(409)
  })
  await expect.poll(async () => (await ada.pay('no end')).status).toBe(200)
  const { body } = await ada.pay('no end')
  expect(await chargesOf(body['id'])).toBe(1)
})

/** Runs `work` while the table takes no such write. */
async function refusing(table: string, write: string, work: () => Promise<void>): Promise<void> {
  await db.pool.query(`
    create function payments.refused() returns trigger language plpgsql as
      $$ begin raise exception 'not today'; end $$;
    create trigger refused before ${write} on ${table} execute function payments.refused()`)
  try {
    await work()
  } finally {
    await db.pool.query('drop function payments.refused() cascade')
  }
}

test('the description has every route', async () => {
  const { paths } = (await (await fetch(`${running.url}/openapi.json`)).json()) as {
    paths: Record<string, object>
  }
  expect(Object.keys(paths)).toEqual(
    expect.arrayContaining([
      '/api/v1/payments',
      '/api/v1/payments/{id}',
      '/api/v1/payments/{id}/refunds',
      '/api/v1/payments/{id}/audit',
      '/api/v1/webhooks/payments',
    ]),
  )
})

test('a key is known for a day of the business clock', async () => {
  await useMovableClock(db.pool)
  const { body } = await ada.pay('expiring')
  await advanceClock(db.pool, '23h')
  expect((await ada.pay('expiring')).status).toBe(200)
  await advanceClock(db.pool, '2h')
  const again = await ada.pay('expiring')
  expect(again.status).toBe(201)
  expect(again.body['id']).not.toBe(body['id'])
})

test('payments are found by what is known of them', async () => {
  const org = await running.as({ org: 'searched' })
  const made = new Map<number, { id: string; ref: string }>()
  for (const amount of [1_100, 2_200, 3_300]) {
    const order = {
      amount,
      currency: amount === 3_300 ? 'JPY' : 'EUR',
      externalPaymentId: `o-${amount}`,
    }
    const { body } = await org.pay(`searched ${amount}`, order)
    made.set(amount, { id: String(body['id']), ref: String(body['gatewayRef']) })
  }
  const find = async (query: string) => {
    const { status, body } = await org.send(`/api/v1/payments?${query}`)
    expect(status, query).toBe(200)
    return (body['items'] as { amount: number }[]).map(({ amount }) => amount)
  }
  expect(await find('externalPaymentId=o-2200')).toEqual([2_200])
  expect(await find(`gatewayRef=${made.get(1_100)?.ref}`)).toEqual([1_100])
  expect(await find('amount=2200')).toEqual([2_200])
  expect(await find('amountFrom=2200')).toEqual([3_300, 2_200])
  expect(await find('amountFrom=1101&amountTo=3299')).toEqual([2_200])
  expect(await find('amount=2200&amountTo=2199')).toEqual([])
  expect(await find('currency=JPY')).toEqual([3_300])
  expect(await find('since=2000-01-01T00:00:00Z&until=2100-01-01T00:00:00Z')).toHaveLength(3)
  expect(await find('until=2000-01-01T00:00:00Z')).toEqual([])
  await running.event({
    ...{ id: 'evt_searched', type: 'payment.succeeded' },
    data: { gatewayRef: made.get(1_100)?.ref },
  })
  await running.event({
    ...{ id: 'evt_searched_dispute', type: 'dispute.opened' },
    data: { gatewayRef: made.get(1_100)?.ref, disputeId: 'dp_searched' },
  })
  expect(await find('disputed=true')).toEqual([1_100])
  expect(await find('disputed=false')).toEqual([3_300, 2_200])
  expect(await find('disputed=true&status=failed')).toEqual([])
  for (const wrong of [
    'amount=0',
    'currency=eur',
    'since=yesterday',
    'disputed=maybe',
    'gatewayRef=',
  ]) {
    expect((await org.send(`/api/v1/payments?${wrong}`)).status, wrong).toBe(400)
  }
})

const ANY: PaymentPage = { orgId: 'many', before: null, sort: '-createdAt', limit: 50 }

test('each search reads the index that was made for it', async () => {
  await db.pool.query(
    `insert into payments.payments
            (id, org_id, user_id, amount, currency, external_payment_id, gateway_ref, created_at)
     select gen_random_uuid(), 'many', 'ada', n, case n when 7 then 'JPY' else 'EUR' end, 'x-' || n,
            'ch-' || n, timestamptz '2020-01-01' + n * interval '1 minute'
       from generate_series(1, 5000) as n`,
  )
  await db.pool.query('analyze payments.payments')
  const planOf = async (search: Partial<PaymentPage>) => {
    const explaining = {
      query: (statement: { text: string; values: unknown[] }) =>
        db.pool.query({ text: `explain ${statement.text}`, values: statement.values }),
    } as unknown as Queryable
    const rows = await selectPayments(explaining, { ...ANY, ...search })
    return rows.map((row) => (row as unknown as Record<string, string>)['QUERY PLAN']).join('\n')
  }
  expect(await planOf({})).toContain('payments_listed')
  expect(await planOf({ externalPaymentId: 'x-1' })).toContain('payments_by_external_id')
  expect(await planOf({ gatewayRef: 'ch-1' })).toContain('payments_by_gateway_ref')
  expect(await planOf({ amountFrom: 5, amountTo: 6 })).toContain('payments_by_amount')
  expect(await planOf({ until: '2020-01-01T00:10:00Z' })).toContain('payments_by_time')
  expect(await planOf({ currency: 'JPY' })).toContain('payments_by_currency')
  const id = randomUUID()
  for (const [sort, before, index] of [
    ['createdAt', id, 'payments_listed'],
    ['-createdAt', id, 'payments_listed'],
    ['amount', [70, id], 'payments_by_amount'],
    ['-amount', [70, id], 'payments_by_amount'],
  ] as const) {
    const plan = await planOf({ sort, before })
    expect(plan, sort).toMatch(new RegExp(`Limit[^\\n]*\\n +-> +Index Scan[^\\n]* using ${index} `))
  }
})

test('metadata is changed field by field, audited by name, and kept small', async () => {
  const order = { amount: 500, currency: 'EUR', metadata: { a: 1, b: { c: 2 } } }
  const { body } = await ada.pay('changed', order)
  const change = (metadata: unknown, client = ada) =>
    client.send(`/api/v1/payments/${String(body['id'])}`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ metadata }),
    })
  const changed = await change({ payout: 'po_1', b: 'x', a: null })
  expect(changed.status, changed.text).toBe(200)
  expect(changed.body).toMatchObject({ id: body['id'], amount: 500 })
  expect(changed.body['metadata']).toEqual({ payout: 'po_1', b: 'x' })
  await Promise.all(Array.from({ length: 10 }, (_, i) => change({ [`n${i}`]: i })))
  expect(Object.keys((await ada.payment(body['id']))['metadata'] as object)).toHaveLength(12)
  const { rows } = await db.pool.query(
    `select actor, details from payments.audit_log
      where entity_id = $1 and action = 'payment.changed' order by seq limit 1`,
    [body['id']],
  )
  expect(rows).toEqual([{ actor: 'ada', details: { metadata: ['payout', 'b', 'a'] } }])
  for (let i = 0; i < 2; i += 1) {
    const { status } = await change({ [`large${i}`]: 'x'.repeat(40_000) })
    expect(status).toBe(i === 0 ? 200 : 400)
  }
  expect((await ada.payment(body['id']))['metadata']).not.toHaveProperty('large1')
  for (const wrong of [undefined, null, 'x', []]) expect((await change(wrong)).status).toBe(400)
  expect((await change({ a: 1 }, await running.as({ org: 'other' }))).status).toBe(404)
  expect((await change({ a: 1 }, await running.as({ role: 'viewer' }))).status).toBe(403)
})
