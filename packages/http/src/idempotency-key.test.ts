import { uuid, type Transaction } from '@posthorn/engine'
import { defineIdempotency, idempotencyTableSql } from '@posthorn/engine/inbox'
import { testDatabase } from '@posthorn/engine/testing'
import { Type } from 'typebox'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { App } from './app.ts'
import { withIdempotencyKey } from './idempotency-key.ts'
import { problem } from './problem/problem.ts'
import { bearer, sampleApp } from './testing/sample-app.ts'

const database = await testDatabase()
const pool = database.connect({ max: 8 })
const store = defineIdempotency({ table: 'shop.idempotency_keys' })

beforeAll(async () => {
  await pool.query('create schema shop')
  await pool.query(idempotencyTableSql(store))
  await pool.query('create table shop.sale (id uuid primary key, amount int not null, who text)')
})
beforeEach(() => pool.query('truncate shop.sale, shop.idempotency_keys'))

const sales = async () => (await pool.query('select id from shop.sale')).rowCount
const keys = async () => (await pool.query('select key from shop.idempotency_keys')).rowCount

interface Shop {
  readonly required?: boolean
  readonly work?: (tx: Transaction) => Promise<void>
  readonly status?: number
}

async function shop({ required = false, work, status = 201 }: Shop = {}): Promise<App> {
  const app = await sampleApp()
  const schema = {
    body: Type.Object({ amount: Type.Integer(), note: Type.Optional(Type.String()) }),
    response: {
      [status]: Type.Object({ id: Type.String(), amount: Type.Integer(), at: Type.String() }),
    },
  }
  const sell = async (tx: Transaction, amount: number) => {
    const id = uuid()
    await tx.query({ text: 'insert into shop.sale values ($1, $2)', values: [id, amount] })
    await work?.(tx)
    const body = { id, amount, at: new Date(), internal: 'not for clients' }
    return { status, body, headers: { location: `/sales/${id}` } }
  }
  app.post('/sales', { schema }, ({ body }, reply) =>
    withIdempotencyKey(reply, { pool, store, required }, (tx) => sell(tx, body.amount)),
  )
  app.post('/shops/:shop/sales', { schema }, ({ body }, reply) =>
    withIdempotencyKey(reply, { pool, store }, (tx) => sell(tx, body.amount)),
  )
  return app
}

const sell = async (
  app: App,
  key: string | undefined,
  options: { body?: object; url?: string; caller?: Parameters<typeof bearer>[0] } = {},
) =>
  app.inject({
    method: 'POST',
    url: options.url ?? '/sales',
    headers: {
      ...(await bearer(options.caller)),
      'content-type': 'application/json',
      ...(key !== undefined && { 'idempotency-key': key }),
    },
    payload: JSON.stringify(options.body ?? { amount: 5, note: 'a' }),
  })

describe('the same key', () => {
  test('and the same request is answered with the same bytes', async () => {
    const app = await shop()
    const first = await sell(app, 'k1')
    expect(first.statusCode).toBe(201)
    expect(Object.keys(first.json())).toEqual(['id', 'amount', 'at'])
    expect(first.headers['idempotent-replayed']).toBeUndefined()
    const again = await sell(app, 'k1', { body: { note: 'a', amount: 5 } })
    expect(again.statusCode).toBe(200)
    expect(again.rawPayload.equals(first.rawPayload)).toBe(true)
    expect(again.headers).toMatchObject({
      'idempotent-replayed': 'true',
      location: first.headers['location'],
      'content-type': first.headers['content-type'],
    })
    expect(await sales()).toBe(1)
  })

  test('quoted or bare is one key', async () => {
    const app = await shop()
    await sell(app, 'k1')
    expect((await sell(app, '"k1"')).headers['idempotent-replayed']).toBe('true')
  })

  test('and another request is 409', async () => {
    const app = await shop()
    const first = await sell(app, 'k1')
    const other = await sell(app, 'k1', { body: { amount: 6 } })
    expect([other.statusCode, other.json().code]).toEqual([409, 'IDEMPOTENCY_KEY_REUSED'])
    expect(other.body).not.toContain(first.json().id)
    expect(await sales()).toBe(1)
  })

  test('belongs to one user, one tenant and one route', async () => {
    const app = await shop()
    const answers = [
      await sell(app, 'k1'),
      await sell(app, 'k1', { caller: { sub: 'bob' } }),
      await sell(app, 'k1', { caller: { org: 'other' } }),
      await sell(app, 'k1', { url: '/shops/7/sales' }),
    ]
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([201, 201, 201, 201])
    const sibling = await sell(app, 'k1', { url: '/shops/8/sales' })
    expect(sibling.json().code).toBe('IDEMPOTENCY_KEY_REUSED')
  })

  test('fifty times at once works once', async () => {
    const app = await shop()
    const answers = await Promise.all(Array.from({ length: 50 }, () => sell(app, 'k1')))
    const codes = answers.map(({ statusCode }) => statusCode)
    expect(codes.filter((code) => code === 201)).toHaveLength(1)
    for (const answer of answers.filter(({ statusCode }) => statusCode === 409)) {
      expect(answer.json().code).toBe('IDEMPOTENCY_KEY_IN_FLIGHT')
      expect(answer.headers['retry-after']).toBe('1')
    }
    expect(codes.every((code) => [200, 201, 409].includes(code))).toBe(true)
    expect(await sales()).toBe(1)
  })

  test('in two processes at once works once: the second waits and replays', async () => {
    const { promise: held, resolve: release } = Promise.withResolvers<void>()
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
    const first = await shop({
      work: async () => {
        begin()
        await held
      },
    })
    const one = sell(first, 'k1')
    await begun
    // Another process has another idea of what is being worked on.
    const twin = defineIdempotency({ table: 'shop.idempotency_keys' })
    const other = await sampleApp()
    other.post('/sales', (_request, reply) =>
      withIdempotencyKey(reply, { pool, store: twin }, () =>
        Promise.reject(new Error('a second time')),
      ),
    )
    const two = sell(other, 'k1')
    await expect.poll(countWaiting).toBe(1)
    release()
    expect((await one).statusCode).toBe(201)
    expect((await two).statusCode).toBe(200)
    expect((await two).body).toBe((await one).body)
  })
})

async function countWaiting(): Promise<number | null> {
  const text = `select from pg_stat_activity
                 where datname = current_database() and wait_event_type = 'Lock'`
  return (await pool.query(text)).rowCount
}

describe('work that fails', () => {
  test.each([
    ['a problem', () => Promise.reject(problem('CONFLICT')), 409],
    ['an error', () => Promise.reject(new Error('broken')), 500],
    [
      'the database',
      async (tx: Transaction) =>
        void (await tx.query({ text: 'insert into shop.sale values (null, 1)', values: [] })),
      500,
    ],
  ])('by %s leaves neither key nor effect', async (_what, work, status) => {
    const app = await shop({ work })
    expect((await sell(app, 'k1')).statusCode).toBe(status)
    expect([await sales(), await keys()]).toEqual([0, 0])
    expect((await sell(await shop(), 'k1')).statusCode).toBe(201)
  })

  test('by its answer is stored and replayed as it was', async () => {
    const app = await shop({ status: 422 })
    expect((await sell(app, 'k1')).statusCode).toBe(422)
    const again = await sell(app, 'k1')
    expect([again.statusCode, again.headers['idempotent-replayed']]).toEqual([422, 'true'])
  })

  test('when the connection dies, a repeat does the work', async () => {
    const app = await shop({
      work: async (tx) =>
        void (await tx.query({
          text: 'select pg_terminate_backend(pg_backend_pid())',
          values: [],
        })),
    })
    const broken = await sell(app, 'k1')
    expect([broken.statusCode, broken.json().code]).toEqual([503, 'DATABASE_UNAVAILABLE'])
    expect(broken.headers['retry-after']).toBeDefined()
    expect((await sell(await shop(), 'k1')).statusCode).toBe(201)
  })

  test('a response that cannot be written is no success', async () => {
    const app = await sampleApp()
    const body: Record<string, unknown> = {}
    body['self'] = body
    app.post('/sales', (_request, reply) =>
      withIdempotencyKey(reply, { pool, store }, async () => ({ status: 201, body })),
    )
    expect((await sell(app, 'k1')).statusCode).toBe(500)
    expect(await keys()).toBe(0)
  })
})

describe('a key', () => {
  test.each(['', 'x'.repeat(256), 'tab\there', 'é', '""'])('cannot be %j', async (key) => {
    const app = await shop()
    const response = await sell(app, key)
    expect([response.statusCode, response.json().code]).toEqual([400, 'IDEMPOTENCY_KEY_INVALID'])
    expect([await sales(), await keys()]).toEqual([0, 0])
  })

  test('may be left out, unless it is required', async () => {
    const free = await shop()
    expect((await sell(free, undefined)).statusCode).toBe(201)
    expect((await sell(free, undefined)).statusCode).toBe(201)
    expect(await sales()).toBe(2)
    const strict = await shop({ required: true })
    const response = await sell(strict, undefined)
    expect([response.statusCode, response.json().code]).toEqual([400, 'IDEMPOTENCY_KEY_MISSING'])
    expect(await sales()).toBe(2)
  })

  test('is not claimed by a request that is not valid', async () => {
    const app = await shop()
    expect((await sell(app, 'k1', { body: { amount: 'five' } })).statusCode).toBe(400)
    expect(await keys()).toBe(0)
    expect((await sell(app, 'k1')).statusCode).toBe(201)
  })
})
