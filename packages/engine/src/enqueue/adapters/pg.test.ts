import type { PoolClient } from 'pg'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createBell, type Bell } from '../../database/bell.ts'
import { sql } from '../../database/sql-tag.ts'
import { testDatabase } from '../../testing/index.ts'
import { fromPg, type PgClient } from './pg.ts'

const db = await testDatabase()
// One connection: what is left on it would be seen by the next.
const pool = db.connect({ max: 1 })
let client: PoolClient
let bell: Bell
let rings: string[]

beforeAll(() => pool.query('create table public.thing (id integer primary key)'))
beforeEach(async () => {
  client = await pool.connect()
  rings = []
  bell = createBell()
  bell.listen((ring) => rings.push(ring))
})
afterEach(async () => {
  await client.query('rollback')
  client.release()
})

const listeners = (of: PoolClient = client) =>
  of.connection.listenerCount('readyForQuery') + of.connection.listenerCount('end')
const insert = (id: number) => sql`insert into public.thing (id) values (${id})`
const refusal = expect.objectContaining({ code: 'NOT_IN_TRANSACTION' }) as Error

describe('fromPg', () => {
  test('refuses a client that is in no transaction', async () => {
    expect(() => fromPg(client)).toThrow(refusal)
    void client.query('begin')
    expect(() => fromPg(client)).toThrow(refusal)
    await client.query('rollback')
    expect(() => fromPg(client)).toThrow(refusal)
  })

  test('refuses a pool, and says so', () => {
    expect(() => fromPg(pool as unknown as PgClient)).toThrow(/not the pool itself/)
    expect(() => fromPg(pool as unknown as PgClient)).toThrow(refusal)
  })

  test('refuses a failed transaction', async () => {
    await client.query('begin')
    await expect(client.query('select 1/0')).rejects.toMatchObject({ code: '22012' })
    await expect.poll(() => client.getTransactionStatus()).toBe('E')
    expect(() => fromPg(client)).toThrow(/can only be rolled back/)
  })

  test('writes in the transaction and wakes at its commit, not before', async () => {
    await client.query('begin')
    const tx = fromPg(client)
    const { rows } = await tx.query<{ id: number }>(
      sql`insert into public.thing values (1) returning id`,
    )
    expect(rows).toEqual([{ id: 1 }])
    tx.ringLater(bell)
    tx.ringLater(bell)
    await client.query('savepoint a')
    await tx.query(insert(2))
    await client.query('rollback to savepoint a')
    await client.query('release savepoint a')
    expect(rings).toEqual([])
    await client.query('commit')
    expect(rings).toEqual(['ring'])
    const { rows: things } = await client.query('select id from public.thing')
    expect(things).toEqual([{ id: 1 }])
  })

  test('has rung when the commit is known', async () => {
    await client.query('begin')
    fromPg(client).ringLater(bell)
    const seen = client.query('commit').then(() => [...rings])
    expect(rings).toEqual([])
    expect(await seen).toEqual(['ring'])
  })

  test('wakes after a rollback too, also of a failed transaction that is committed', async () => {
    await client.query('begin')
    fromPg(client).ringLater(bell)
    await client.query('rollback')
    expect(rings).toEqual(['ring'])

    await client.query('begin')
    const tx = fromPg(client)
    tx.ringLater(bell)
    await expect(tx.query(insert(1))).rejects.toMatchObject({ code: '23505' })
    await expect(tx.query(insert(3))).rejects.toMatchObject({ code: '25P02' })
    expect(rings).toEqual(['ring'])
    await client.query('commit')
    expect(rings).toEqual(['ring', 'ring'])
  })

  test('a savepoint brings a failed transaction back', async () => {
    await client.query('begin')
    const tx = fromPg(client)
    await client.query('savepoint a')
    await expect(tx.query(insert(1))).rejects.toMatchObject({ code: '23505' })
    await client.query('rollback to savepoint a')
    expect(fromPg(client)).toBe(tx)
    await tx.query(insert(4))
    await client.query('commit')
    expect((await client.query('select from public.thing where id = 4')).rows).toHaveLength(1)
  })

  test('a handle ends with its transaction', async () => {
    await client.query('begin')
    const old = fromPg(client)
    await client.query('commit')
    await expect(old.query(insert(5))).rejects.toThrow(refusal)
    await client.query('begin')
    expect(fromPg(client)).not.toBe(old)
    await expect(old.query(insert(5))).rejects.toThrow(refusal)
    await client.query('commit')
    expect((await client.query('select from public.thing where id = 5')).rows).toHaveLength(0)
  })

  test('a commit that fails ends the transaction, also in the moment before pg knows', async () => {
    await client.query(`
      create table public.late (id integer unique deferrable initially deferred);
      insert into public.late values (1)`)
    for (let n = 0; n < 50; n++) {
      await client.query('begin')
      const tx = fromPg(client)
      await tx.query(sql`insert into public.late values (1)`)
      await expect(client.query('commit')).rejects.toMatchObject({ code: '23505' })
      await expect(tx.query(insert(100 + n))).rejects.toThrow(refusal)
    }
    expect((await client.query('select from public.thing where id >= 100')).rows).toHaveLength(0)
  })

  test('a commit that waits behind another statement is seen', async () => {
    await client.query('begin')
    const tx = fromPg(client)
    const answers = [client.query('select pg_sleep(0.05)'), client.query('commit')]
    await expect(tx.query(insert(10))).rejects.toThrow(refusal)
    await Promise.all(answers)
    expect((await client.query('select from public.thing where id = 10')).rows).toHaveLength(0)
  })

  test('statements that are not awaited one by one keep their order', async () => {
    await client.query('begin')
    const tx = fromPg(client)
    const ids = [7, 8, 9].map(async (id) => (await tx.query(sql`select ${id}::int as id`)).rows)
    expect((await Promise.all(ids)).flat()).toEqual([{ id: 7 }, { id: 8 }, { id: 9 }])
    await client.query('rollback')
  })

  test('a client that is used for years leaks no listeners', async () => {
    const before = listeners()
    for (let n = 0; n < 30; n++) {
      await client.query('begin')
      for (let again = 0; again < 30; again++) fromPg(client).ringLater(bell)
      expect(listeners()).toBe(before + 2)
      await client.query(n % 2 === 0 ? 'commit' : 'rollback')
      client.release()
      client = await pool.connect()
    }
    expect(listeners()).toBe(before)
    expect(rings).toHaveLength(30)
  })

  test('wakes when the connection breaks: it may have committed', async () => {
    const other = await db.pool.connect()
    other.on('error', () => undefined)
    await other.query('begin')
    const tx = fromPg(other)
    tx.ringLater(bell)
    const { rows } = await other.query<{ pid: number }>('select pg_backend_pid() as pid')
    await client.query('select pg_terminate_backend($1)', [rows[0]!.pid])
    await expect.poll(() => rings).toEqual(['ring'])
    await expect(tx.query(insert(6))).rejects.toThrow(refusal)
    other.release(true)
  })
})
