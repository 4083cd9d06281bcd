import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sql } from '../database/sql-tag.ts'
import { DeliveryError } from '../errors.ts'
import { silentLog } from '../log.ts'
import { delivered } from '../outbox/outcome.ts'
import { exponential, fixed } from '../outbox/retry.ts'
import { testDatabase } from '../testing/index.ts'
import { runUntilKilled } from '../testing/child-process.ts'
import type { Handling } from './handlers.ts'
import { posthorn } from './posthorn.ts'
import { outbox } from './standard-outbox.ts'

// oxlint-disable-next-line typescript/consistent-type-definitions -- as the README has it
type Events = {
  'order.placed': { order: number }
  'order.paid': { order: number; receipt: string }
}

const events = outbox<Events>('shop.outbox', {
  order: 'key',
  retry: fixed('1h', { attempts: 3 }),
})

const { pool, url } = await testDatabase()
let seen: string[] = []
let fail: ((handling: Handling<{ order: number }>) => void) | undefined

const app = posthorn({
  pool,
  log: silentLog,
  handlers: events.handle({
    'order.placed': async (handling) => {
      await handling.tx.query(sql`insert into shop.effect values (${handling.payload.order})`)
      fail?.(handling)
      seen.push(`placed ${handling.payload.order}`)
    },
    'order.paid': async ({ payload }) => seen.push(`paid ${payload.order} ${payload.receipt}`),
  }),
})

beforeAll(async () => {
  await app.setUp()
  // A second time finds everything there.
  await app.setUp()
  await pool.query('create table shop.effect (order_id int primary key)')
})

beforeEach(async () => {
  seen = []
  fail = undefined
  await pool.query('truncate shop.outbox, shop.effect, posthorn.handled, posthorn.held_key')
})

afterAll(() => app.stop())

const statusOf = async () =>
  (await pool.query('select type, status, error_code from shop.outbox order by seq')).rows

describe('handlers', () => {
  test('are a destination: typed, in the order of their key, once', async () => {
    await app.transaction(async (tx) => {
      await tx.query('select $1::int', [7])
      await events.enqueue(tx, 'order.placed', { order: 7 }, { key: '7' })
      await events.enqueue(tx, 'order.paid', { order: 7, receipt: 'r1' }, { key: '7' })
    })
    await app.runOnce()
    expect(seen).toEqual(['placed 7', 'paid 7 r1'])
    const { rows } = await pool.query('select from posthorn.session')
    expect(rows, 'leases and shares that the next process would wait for').toEqual([])
    // As after a crash between the handler's commit and the settling.
    await pool.query(`update shop.outbox set status = 'pending'`)
    await app.runOnce()
    expect(seen).toHaveLength(2)
    expect(await statusOf()).toMatchObject([{ status: 'sent' }, { status: 'sent' }])
  })

  test('hold back what is behind a failure of its key, and roll back what they wrote', async () => {
    fail = ({ payload }) => {
      if (payload.order === 1) throw new Error('out of stock')
    }
    await app.transaction(async (tx) => {
      await events.enqueueAll(tx, [
        { type: 'order.placed', payload: { order: 1 }, key: 'a' },
        { type: 'order.paid', payload: { order: 1, receipt: 'r' }, key: 'a' },
        { type: 'order.placed', payload: { order: 2 }, key: 'b' },
      ])
    })
    await app.runOnce()
    expect(seen).toEqual(['placed 2'])
    expect((await pool.query('select order_id from shop.effect')).rows).toEqual([{ order_id: 2 }])
    expect((await app.stats())[0]).toMatchObject({ name: 'shop.outbox', heldKeys: 1 })
  })

  test('refuse for good, or are missing', async () => {
    fail = () => {
      throw new DeliveryError('ORDER_UNKNOWN', 'no such order', { retryable: false })
    }
    await app.transaction(async (tx) => {
      await events.enqueue(tx, 'order.placed', { order: 1 }, { key: 'a' })
      await events.enqueue(tx, 'order.lost' as never, {} as never, { key: 'b' })
    })
    await app.runOnce()
    expect(await statusOf()).toEqual([
      { type: 'order.placed', status: 'dead', error_code: 'ORDER_UNKNOWN' },
      { type: 'order.lost', status: 'pending', error_code: 'HANDLER_MISSING' },
    ])
  })
})

describe('enqueue', () => {
  test('knows the payload of each type, and that a key is needed', async () => {
    const never = () =>
      app.transaction(async (tx) => {
        // @ts-expect-error -- no such type
        await events.enqueue(tx, 'order.gone', {}, { key: '7' })
        // @ts-expect-error -- another payload
        await events.enqueue(tx, 'order.placed', { order: '7' }, { key: '7' })
        // @ts-expect-error -- an ordered outbox needs a key
        await events.enqueue(tx, 'order.placed', { order: 7 })
        // @ts-expect-error -- a pool is no transaction
        await events.enqueue(pool, 'order.placed', { order: 7 }, { key: '7' })
      })
    expect(never).toBeTypeOf('function')
    const keyless = app.transaction((tx) =>
      events.enqueue(tx, 'order.placed', { order: 7 }, {} as never),
    )
    await expect(keyless).rejects.toThrow('order.placed needs one, as text')
  })

  test('takes the key from the payload where the order says so', async () => {
    const ordered = outbox<Events>('shop.outbox', { order: 'payload.order' })
    const nested = outbox('shop.outbox', { order: 'payload.order.id' })
    const twice = () =>
      app.transaction(async (tx) => {
        // @ts-expect-error -- not every payload has it
        outbox<Events>('shop.outbox', { order: 'payload.receipt' })
        // @ts-expect-error -- the key is in the payload
        await ordered.enqueue(tx, 'order.placed', { order: 7 }, { key: 'x' })
      })
    await app.transaction(async (tx) => {
      await ordered.enqueue(tx, 'order.placed', { order: 7 })
      await ordered.enqueueAll(tx, [{ type: 'order.paid', payload: { order: 8, receipt: 'r' } }])
      await nested.enqueue(tx, 'order.placed', { order: { id: 'nine' } })
    })
    const { rows } = await pool.query('select key from shop.outbox order by seq')
    expect(rows.map(({ key }) => key)).toEqual(['7', '8', 'nine'])
    await expect(twice()).rejects.toThrow('key: must be left out: the order is by payload.order')
    const without = app.transaction((tx) => nested.enqueue(tx, 'order.placed', { order: 7 }))
    await expect(without).rejects.toThrow('payload.order.id: order.placed needs it')
  })

  test('refuses options that there are not', async () => {
    const misspelt = app.transaction((tx) =>
      events.enqueue(tx, 'order.placed', { order: 7 }, { key: '7', dely: '1h' } as never),
    )
    await expect(misspelt).rejects.toThrow('dely: is not an option of enqueue()')
    const draft = { type: 'order.placed', payload: { order: 7 }, key: '7', delay: '1h' } as const
    const delayed = app.transaction((tx) => events.enqueueAll(tx, [draft]))
    await expect(delayed).rejects.toThrow('delay: must be left out of enqueueAll()')
  })

  test('refuses a pool before anything is stored', async () => {
    const stored = events.enqueue(pool as never, 'order.placed', { order: 7 }, { key: '7' })
    await expect(stored).rejects.toMatchObject({ code: 'NOT_IN_TRANSACTION' })
    expect(await statusOf()).toEqual([])
  })

  test('keeps one message of a dedupe word, and waits for a delay', async () => {
    const write = () =>
      app.transaction((tx) =>
        events.enqueue(tx, 'order.placed', { order: 7 }, { key: '7', dedupe: 'x', delay: '1h' }),
      )
    const first = await write()
    expect(await write()).toEqual({ id: first.id, created: false })
    await app.runOnce()
    expect(seen).toEqual([])
  })
})

describe('the short form', () => {
  test.each([
    [{ ordre: 'key' }, 'ordre: is not an option of outbox()'],
    [{ order: 'row' }, 'order: must be "key", a property of the payload like "payload.order"'],
    [{ attempts: 3, retry: fixed('1s', { attempts: 2 }) }, 'attempts: must be left out'],
    [{ attempts: 0 }, 'retry.attempts: must be a whole number'],
    [{ dead: 'skip' }, 'dead: needs order'],
    [{ serialise: true }, 'serialise: needs order'],
    [{ retry: { attempts: 3 } }, 'retry: must be made by exponential(), fixed() or schedule()'],
  ])('names what is wrong with %j', (options, problem) => {
    expect(() => outbox('shop.x', options as never)).toThrow(problem)
  })

  test('keeps what is finished for 30 days', () => {
    expect(events.retention).toEqual({ after: '30d', archive: '0d' })
    const kept = outbox('shop.kept', { retention: { after: '1d', archive: '90d' } })
    expect(kept.retention).toEqual({ after: '1d', archive: '90d' })
  })

  test('names the table that is missing, and the column that a changed definition needs', async () => {
    const absent = outbox('shop.absent')
    await expect(app.transaction((tx) => absent.enqueue(tx, 'x', {}))).rejects.toMatchObject({
      code: 'TABLE_MISMATCH',
      message: 'outbox shop.absent: there is no table shop.absent; run the migrations',
    })
    const setUp = (box: typeof absent) =>
      posthorn({ pool, handlers: box.handle({}), log: silentLog }).setUp()
    await setUp(outbox('shop.grown'))
    await expect(setUp(outbox('shop.grown', { priority: true }))).rejects.toMatchObject({
      code: 'TABLE_MISMATCH',
      message: expect.stringContaining('"priority" does not exist'),
    })
  })

  test('logs a dead letter with the text of its error', async () => {
    const lines: object[] = []
    const log = { ...silentLog, error: (fields: object) => void lines.push(fields) }
    const once = outbox('shop.once', { attempts: 1 })
    const ship = async () => {
      throw new DeliveryError('NO_STOCK', 'the shelf is empty', { retryable: false })
    }
    const other = await posthorn({ pool, handlers: once.handle({ x: ship }), log }).setUp()
    await other.transaction((tx) => once.enqueue(tx, 'x', {}))
    await other.runOnce()
    expect(lines).toMatchObject([{ code: 'NO_STOCK', reason: 'the shelf is empty' }])
  })

  test('says what a host is given, and what is missing', () => {
    expect(() => posthorn({ pool: {} as never, outboxes: [] })).toThrow('must be a Pool')
    expect(() => posthorn({ pool, outboxes: [{}] as never })).toThrow('outboxes: must be a list')
    expect(() => posthorn({ pool, outboxes: [events] })).toThrow('has no handlers')
    expect(() => posthorn({ pool, handlers: {} as never })).toThrow(
      "result of an outbox's handle()",
    )
  })

  test('does not start where a dedupe word would not be unique', async () => {
    const loose = outbox('shop.loose', { destination: { transport: 'list', topic: 'x' } })
    const list = { deliver: async () => [], close: async () => undefined }
    const other = posthorn({ pool, outboxes: [loose], transports: { list }, log: silentLog })
    await other.setUp()
    await pool.query('alter table shop.loose drop constraint loose_dedupe_key')
    await expect(other.start()).rejects.toThrow(
      'create unique index loose_dedupe on shop.loose (dedupe)',
    )
  })

  test('goes to any transport, and serialises its writers if asked to', async () => {
    const sent: unknown[] = []
    const serial = outbox<Events>('shop.serial', {
      order: 'key',
      serialise: true,
      destination: { transport: 'list', topic: 'orders' },
      retry: exponential('1s', { attempts: 2 }),
    })
    const list = {
      deliver: async (batch: readonly { message: { payload: unknown } }[]) => {
        sent.push(...batch.map(({ message }) => message.payload))
        return batch.map(() => delivered())
      },
      close: async () => undefined,
    }
    const other = posthorn({ pool, outboxes: [serial], transports: { list }, log: silentLog })
    await other.setUp()
    const locks = sql`select count(*)::int from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()`
    await other.transaction(async (tx) => {
      await serial.enqueue(tx, 'order.placed', { order: 1 }, { key: '1' })
      expect((await tx.query(locks)).rows).toEqual([{ count: 1 }])
    })
    await other.runOnce()
    expect(sent).toEqual([{ order: 1 }])
    await other.stop()
  })

  test('keeps a log if asked to, which is written from SQL as well', async () => {
    const sent: unknown[] = []
    const logged = outbox<Events>('shop.logged', {
      order: 'key',
      storage: 'log',
      destination: { transport: 'list', topic: 'orders' },
    })
    const list = {
      deliver: async (batch: readonly { message: { payload: unknown } }[]) => {
        sent.push(...batch.map(({ message }) => (message.payload as { order: number }).order))
        return batch.map(() => delivered())
      },
      close: async () => undefined,
    }
    const other = posthorn({ pool, outboxes: [logged], transports: { list }, log: silentLog })
    await other.setUp()
    const place = (order: number) =>
      other.transaction((tx) => logged.enqueue(tx, 'order.placed', { order }, { key: '1' }))
    const placeBySql = (order: number, dedupe?: string) =>
      pool.query(
        `select posthorn.enqueue('shop.logged', 'order.placed', $1, key => '1', dedupe => $2)`,
        [{ order }, dedupe],
      )
    await place(1)
    await placeBySql(2)
    await place(3)
    await expect(placeBySql(4, 'once')).rejects.toThrow('knows no dedupe word')
    const twice = other.transaction((tx) =>
      logged.enqueue(tx, 'order.placed', { order: 4 }, { key: '1', dedupe: 'once' }),
    )
    await expect(twice).rejects.toThrow('dedupe: must be left out')
    while ((await other.runOnce()) > 0);
    expect(sent).toEqual([1, 2, 3])
    expect((await pool.query('select from shop.logged')).rowCount).toBe(0)
    await other.stop()
  })
})

test('what a handler did is not done again when its process is killed before it could say so', async () => {
  const boxed = outbox<{ weighed: { kilos: number } }>('scale.outbox', { claim: { lease: '2s' } })
  const set = boxed.handle({
    weighed: async ({ payload, tx }) => {
      await tx.query(sql`insert into scale.effect values (${payload.kilos})`)
    },
  })
  const other = posthorn({ pool, handlers: set, log: silentLog })
  await other.setUp()
  await pool.query('create table scale.effect (kilos int)')
  await other.transaction((tx) => boxed.enqueue(tx, 'weighed', { kilos: 3 }))
  const here = (file: string) => JSON.stringify(new URL(file, import.meta.url).href)
  await runUntilKilled(
    `import { Pool } from 'pg'
     const { handlerTransport } = await import(${here('./handlers.ts')})
     const { posthorn } = await import(${here('./posthorn.ts')})
     const { outbox } = await import(${here('./standard-outbox.ts')})
     const pool = new Pool({ connectionString: process.env.DATABASE })
     const boxed = outbox('scale.outbox', { claim: { lease: '2s' } })
     const set = boxed.handle({
       weighed: ({ payload, tx }) =>
         tx.query({ text: 'insert into scale.effect values ($1)', values: [payload.kilos] }),
     })
     const real = handlerTransport(pool, [set])
     const deliver = async (batch, options) => {
       await real.deliver(batch, { ...options, report: undefined })
       process.stdout.write('handled')
       return new Promise(() => setInterval(() => undefined, 1_000))
     }
     await posthorn({ pool, handlers: set, transports: { handlers: { ...real, deliver } } }).start()`,
    { DATABASE: url },
  )
  const look = async () => {
    const { rows } = await pool.query(
      `select (select string_agg(kilos::text, ' ') from scale.effect) as effects,
              (select string_agg(status, ' ') from scale.outbox) as states`,
    )
    return rows[0] as { effects: string; states: string }
  }
  expect(await look()).toEqual({ effects: '3', states: 'pending' })
  await other.start()
  await expect.poll(look, { timeout: 60_000 }).toEqual({ effects: '3', states: 'sent' })
  await other.stop()
})
