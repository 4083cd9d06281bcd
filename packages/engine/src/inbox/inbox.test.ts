import { randomUUID } from 'node:crypto'
import * as fc from 'fast-check'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { DefinitionError } from '../errors.ts'
import { around, defineInbox, inboxTableSql, once, type Inbox } from './inbox.ts'
import { onceAll } from './inbox-batch.ts'
import { pruneInbox } from './inbox-prune.ts'
import { transaction, type Transaction } from '../database/transaction.ts'
import { testDatabase } from '../testing/index.ts'
import { runUntilKilled } from '../testing/child-process.ts'
import { uuid, uuidSource } from '../uuid.ts'

const DAY_MS = 86_400_000
const db = await testDatabase()
const pool = db.connect({ max: 30 })

/** An id made the given number of days ago. */
const idOfAge = (days: number) => uuidSource(() => Date.now() - days * DAY_MS)()

const effect = (tx: Transaction, id: string) =>
  tx.query({ text: 'insert into shop.effect (message_id) values ($1)', values: [id] })

async function effects(): Promise<number> {
  const { rows } = await pool.query<{ count: number }>('select count(*)::int from shop.effect')
  return rows[0]!.count
}

beforeAll(async () => {
  await pool.query('create schema shop')
  await pool.query('create table shop.effect (message_id uuid not null)')
})
beforeEach(() => pool.query('truncate shop.effect'))

describe('defineInbox', () => {
  test.each([
    [{ table: 'inbox', retention: '30d' }, 'table'],
    [{ table: 'shop.inbox; drop table x', retention: '30d' }, 'table'],
    [{ table: 'a.b.c', retention: '30d' }, 'table'],
    [{ table: `shop.${'x'.repeat(46)}`, retention: '30d' }, 'table'],
    [{ table: 'shop.inbox', retention: 'a month' }, 'retention'],
    [{ table: 'shop.inbox', retention: '1s' }, 'retention'],
    [{ table: 'shop.inbox', retention: '30d', forgetOthers: '1s' }, 'forgetOthers'],
  ])('refuses %o for its %s', (definition, field) => {
    const define = () => defineInbox(definition as Parameters<typeof defineInbox>[0])
    expect(define).toThrow(DefinitionError)
    expect(define).toThrow(expect.objectContaining({ code: 'DEFINITION_INVALID', field }))
  })
})

const plain = defineInbox({ table: 'shop.plain_inbox', retention: '30d' })
const partitioned = defineInbox({ table: 'shop.week_inbox', retention: '30d', partitioned: true })

describe.each([
  ['one table', plain],
  ['weekly partitions', partitioned],
])('an inbox in %s', (_, inbox) => {
  beforeAll(async () => {
    await pool.query(inboxTableSql(inbox))
    // As a migration that is run again: finds everything there.
    await pool.query(inboxTableSql(inbox))
    await pruneInbox(pool, inbox)
  })

  const handle = (
    id: string,
    work: (tx: Transaction) => Promise<unknown> = (tx) => effect(tx, id),
    consumer = 'stock',
  ) => transaction(pool, (tx) => once(tx, { inbox, consumer, id }, work))

  test('runs a handler once for each consumer', async () => {
    const id = uuid()
    const work = async (tx: Transaction) => {
      await effect(tx, id)
      return 'reserved'
    }
    expect(
      await transaction(pool, (tx) => once(tx, { inbox, consumer: 'stock', id }, work)),
    ).toEqual({
      first: true,
      result: 'reserved',
    })
    expect(await handle(id)).toEqual({ first: false })
    expect(await handle(id, undefined, 'mail')).toMatchObject({ first: true })
    expect(await effects()).toBe(2)
  })

  test('takes ids of any kind', async () => {
    for (const id of [randomUUID(), '00000000-0000-0000-0000-000000000000', uuid().toUpperCase()]) {
      expect(await handle(id)).toMatchObject({ first: true })
      expect(await handle(id)).toEqual({ first: false })
    }
  })

  test.each([
    ['of a gateway', 'evt_1', 'EVT_1'],
    ['with nothing in it', '', ' '],
    ['between UUIDs', '0192f3a1-no-uuid', '0192f3a1-no-uuid-either'],
    ['longer than an index takes', 'x'.repeat(5000), `${'x'.repeat(4999)}y`],
    ['that Postgres cannot store', 'a\0', 'a\ud800'],
  ])('takes an id %s, and tells it from another', async (_kind, id, other) => {
    const nothing = () => Promise.resolve<unknown>(undefined)
    const messages = [{ id }, { id: other }, { id }]
    const poll = () =>
      transaction(pool, (tx) => onceAll(tx, { inbox, consumer: 'poll', messages }, nothing))
    expect((await poll()).first).toEqual([{ id }, { id: other }])
    expect(await poll()).toEqual({ first: [], expired: [], result: undefined })
    for (const each of [id, other]) {
      expect(await handle(each, nothing)).toMatchObject({ first: true })
      expect(await handle(each, nothing)).toEqual({ first: false })
    }
    await pruneInbox(pool, inbox)
    expect(await handle(id, nothing)).toEqual({ first: false })
  })

  test('runs again what was rolled back', async () => {
    const id = uuid()
    const fail = async (tx: Transaction) => {
      await effect(tx, id)
      throw new Error('no stock')
    }
    await expect(handle(id, fail)).rejects.toThrow('no stock')
    expect(await handle(id)).toMatchObject({ first: true })
    expect(await effects()).toBe(1)
  })

  test('keeps nothing when a caller swallows the error of a handler', async () => {
    const id = uuid()
    const receipt = { inbox, consumer: 'stock', id }
    const swallowed = transaction(pool, async (tx) => {
      const fail = () => Promise.reject(new Error('no stock'))
      await once(tx, receipt, fail).catch(() => undefined)
    })
    await expect(swallowed).rejects.toMatchObject({ code: 'NOT_IN_TRANSACTION' })
    expect(await handle(id)).toMatchObject({ first: true })
  })

  test('lets a savepoint confine a failed handler', async () => {
    const [bad, good] = [uuid(), uuid()]
    await transaction(pool, async (tx) => {
      await tx.query({ text: 'savepoint message', values: [] })
      const fail = () => Promise.reject(new Error('no stock'))
      await once(tx, { inbox, consumer: 'stock', id: bad }, fail).catch(() => undefined)
      await tx.query({ text: 'rollback to savepoint message', values: [] })
      await once(tx, { inbox, consumer: 'stock', id: good }, () => effect(tx, good))
    })
    expect(await handle(bad)).toMatchObject({ first: true })
    expect(await handle(good)).toEqual({ first: false })
  })

  test('runs the handler once for 50 duplicates at once', async () => {
    const id = uuid()
    const results = await Promise.all(Array.from({ length: 50 }, () => handle(id)))
    expect(results.filter((result) => result.first)).toHaveLength(1)
    expect(await effects()).toBe(1)
  })

  test('a duplicate waits for the first, and runs if that one rolls back', async () => {
    const id = uuid()
    const blocked = Promise.withResolvers<void>()
    const started = Promise.withResolvers<void>()
    const first = handle(id, async () => {
      started.resolve()
      await blocked.promise
      throw new Error('crash')
    })
    await started.promise
    let done = false
    const second = handle(id).finally(() => (done = true))
    await expect.poll(waitingForLock).toBeGreaterThan(0)
    expect(done).toBe(false)
    blocked.resolve()
    await expect(first).rejects.toThrow('crash')
    expect(await second).toMatchObject({ first: true })
    expect(await effects()).toBe(1)
  })

  test('refuses an id older than it remembers, unless it still knows it', async () => {
    const stranger = idOfAge(31)
    await expect(handle(stranger)).rejects.toMatchObject({ code: 'INBOX_EXPIRED' })
    const call = () => expect.unreachable('the outside must not be called')
    const outcome = () => Promise.resolve()
    await expect(
      around(pool, { inbox, consumer: 'stock', id: stranger }, { call, outcome }),
    ).rejects.toMatchObject({ code: 'INBOX_EXPIRED' })

    const known = idOfAge(31)
    const text = `insert into ${inbox.table} (consumer, event_id) values ('stock', $1)`
    await pool.query({ text, values: [known] })
    expect(await handle(known)).toEqual({ first: false })
    expect(await handle(idOfAge(29.9))).toMatchObject({ first: true })
    expect(await effects()).toBe(1)
  })

  test('goes by the moment, not by the start of the transaction', async () => {
    const id = uuidSource(() => Date.now() - 30 * DAY_MS + 300)()
    const late = transaction(pool, async (tx) => {
      await tx.query({ text: 'select pg_sleep(0.5)', values: [] })
      return once(tx, { inbox, consumer: 'stock', id }, () => effect(tx, id))
    })
    await expect(late).rejects.toMatchObject({ code: 'INBOX_EXPIRED' })
  })

  test('calls the outside with no transaction open and the id as the key', async () => {
    const id = uuid()
    const receipt = { inbox, consumer: 'documents', id }
    const keys: string[] = []
    const call = async (key: string) => {
      keys.push(key)
      return openTransactions()
    }
    const outcome = async (tx: Transaction, open: number) => {
      await effect(tx, id)
      return open
    }
    expect(await around(pool, receipt, { call, outcome })).toEqual({ first: true, result: 0 })
    expect(await around(pool, receipt, { call, outcome })).toEqual({ first: false })
    expect(keys).toEqual([id])
    expect(await effects()).toBe(1)
  })

  test('stores nothing when the call or the outcome fails', async () => {
    const id = uuid()
    const receipt = { inbox, consumer: 'documents', id }
    const call = () => Promise.resolve('charged')
    const outcome = (tx: Transaction) => effect(tx, id)
    const fail = () => Promise.reject(new Error('down'))
    await expect(around(pool, receipt, { call: fail, outcome })).rejects.toThrow('down')
    await expect(around(pool, receipt, { call, outcome: fail })).rejects.toThrow('down')
    expect(await around(pool, receipt, { call, outcome })).toMatchObject({ first: true })
    expect(await effects()).toBe(1)
  })

  test('drops all outcomes but one when duplicates call at once', async () => {
    const id = uuid()
    const receipt = { inbox, consumer: 'documents', id }
    const all = Promise.withResolvers<void>()
    let calls = 0
    const call = async () => {
      calls += 1
      if (calls === 10) all.resolve()
      await all.promise
    }
    const outcome = (tx: Transaction) => effect(tx, id)
    const results = await Promise.all(
      Array.from({ length: 10 }, () => around(pool, receipt, { call, outcome })),
    )
    expect(results.filter((result) => result.first)).toHaveLength(1)
    expect(await effects()).toBe(1)
  })

  test('each effect happens once, in any mix of duplicates, failures and consumers', async () => {
    const delivery = fc.record({
      message: fc.nat(3),
      form: fc.constantFrom('once', 'around'),
      fails: fc.boolean(),
    })
    const run = async (deliveries: { message: number; form: string; fails: boolean }[]) => {
      const ids = [uuid(), uuid(), uuid(), uuid()]
      await pool.query('truncate shop.effect')
      await Promise.all(
        deliveries.map(async ({ message, form, fails }) => {
          const id = ids[message]!
          const receipt = { inbox, consumer: 'stock', id }
          const work = async (tx: Transaction) => {
            await effect(tx, id)
            if (fails) throw new Error('crash')
          }
          const call = () => Promise.resolve()
          await (
            form === 'once'
              ? transaction(pool, (tx) => once(tx, receipt, work))
              : around(pool, receipt, { call, outcome: work })
          ).catch(() => undefined)
        }),
      )
      const { rows } = await pool.query<{ message_id: string; count: number }>(
        'select message_id, count(*)::int from shop.effect group by 1',
      )
      const succeeded = new Set(deliveries.filter((d) => !d.fails).map((d) => ids[d.message]))
      expect(new Set(rows.map((row) => row.message_id))).toEqual(succeeded)
      expect(rows.every((row) => row.count === 1)).toBe(true)
    }
    const mixes = fc.asyncProperty(fc.array(delivery, { maxLength: 12 }), run)
    await fc.assert(mixes, { numRuns: 40 })
  })

  test.each(['in the handler', 'before the outcome'])(
    'after kill -9 %s the effect happens once',
    async (where) => {
      const id = uuid()
      const receipt = { inbox, consumer: 'crash', id }
      await killWorker(inbox, id, where)
      const { rows } = await pool.query(`select from ${inbox.table} where event_id = $1`, [id])
      expect(rows).toHaveLength(0)
      expect(await effects()).toBe(0)
      const call = () => Promise.resolve()
      const outcome = (tx: Transaction) => effect(tx, id)
      expect(await around(pool, receipt, { call, outcome })).toMatchObject({ first: true })
      expect(await effects()).toBe(1)
    },
  )
})

async function waitingForLock(): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    `select count(*)::int from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`,
  )
  return rows[0]!.count
}

async function openTransactions(): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    `select count(*)::int from pg_stat_activity
      where datname = current_database() and state like 'idle in transaction%'`,
  )
  return rows[0]!.count
}

/** A worker that is killed in the middle of its work. */
async function killWorker(inbox: Inbox, id: string, where: string): Promise<void> {
  await runUntilKilled(WORKER, {
    INBOX: new URL('inbox.ts', import.meta.url).href,
    TRANSACTION: new URL('../database/transaction.ts', import.meta.url).href,
    PG: import.meta.resolve('pg'),
    URL: db.url,
    DEFINITION: JSON.stringify({
      table: inbox.table,
      retention: '30d',
      partitioned: inbox.partitioned,
    }),
    ID: id,
    WHERE: where,
  })
  // Postgres notices that its client is gone a moment later, and rolls back.
  await expect.poll(openTransactions).toBe(0)
}

const WORKER = `
const { defineInbox, once, around } = await import(process.env.INBOX)
const { transaction } = await import(process.env.TRANSACTION)
const { Pool } = (await import(process.env.PG)).default
const pool = new Pool({ connectionString: process.env.URL })
const receipt = { inbox: defineInbox(JSON.parse(process.env.DEFINITION)), consumer: 'crash', id: process.env.ID }
const hang = () => { process.stdout.write('here'); return new Promise(() => setInterval(() => {}, 1000)) }
const effect = async (tx) => {
  await tx.query({ text: 'insert into shop.effect (message_id) values ($1)', values: [process.env.ID] })
  await hang()
}
if (process.env.WHERE === 'in the handler') await transaction(pool, (tx) => once(tx, receipt, effect))
else await around(pool, receipt, { call: hang, outcome: effect })
`
