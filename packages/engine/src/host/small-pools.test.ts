import { beforeEach, expect, test } from 'vitest'
import { handleOnce } from '../inbox/inbox-batch.ts'
import { defineInbox, inboxTableSql } from '../inbox/inbox.ts'
import { silentLog } from '../log.ts'
import { toMessage } from '../outbox/message.ts'
import { testDatabase } from '../testing/index.ts'
import { posthorn } from './posthorn.ts'
import { outbox, type StandardOutbox } from './standard-outbox.ts'
import { uuid } from '../uuid.ts'

const one = outbox('small.one', { claim: { every: '200ms' } })
const two = outbox('small.two', { claim: { every: '200ms' } })
const db = await testDatabase()
for (const box of [one, two]) await db.pool.query(box.tableSql())

beforeEach(() => db.pool.query('truncate small.one, small.two, posthorn.handled'))

const ignore = async () => undefined
const writer = posthorn({ pool: db.pool, outboxes: [], log: silentLog })
const place = (box: StandardOutbox, count: number) =>
  writer.transaction((tx) =>
    box.enqueueAll(
      tx,
      Array.from({ length: count }, () => ({ type: 'placed', payload: {} })),
    ),
  )

test('handlers that use the pool leave connections to settle, to the application and to each other', async () => {
  const pool = db.connect({ max: 10 })
  let handled = 0
  const useThePool = async () => {
    await pool.query('select pg_sleep(0.005)')
    handled += 1
  }
  const parts = [one.handle({ placed: useThePool }), two.handle({ placed: useThePool })]
  const app = posthorn({ pool, handlers: parts, log: silentLog })
  await place(one, 100)
  await place(two, 100)
  await app.start()
  await expect.poll(() => handled, { timeout: 20_000 }).toBeGreaterThan(10)
  await pool.query('select 1')
  await expect.poll(() => handled, { timeout: 20_000 }).toBe(200)
  await app.stop()
})

test('consumers that use the pool leave connections to each other', async () => {
  const pool = db.connect({ max: 10 })
  const inbox = defineInbox({ table: 'small.inbox', retention: '1d' })
  await pool.query(inboxTableSql(inbox))
  let handled = 0
  const handle = async () => {
    await pool.query('select pg_sleep(0.005)')
    handled += 1
  }
  const consumer = handleOnce({ pool, inbox, consumer: 'readers', handle })
  const messages = Array.from({ length: 40 }, () =>
    toMessage({ id: uuid(), type: 'placed', payload: {} }),
  )
  const batches = [messages.slice(0, 10), messages.slice(10, 20)]
  await Promise.all([
    ...messages.slice(20).map((message) => consumer.handle(message, {} as never)),
    ...batches.map((batch) => consumer.batch.handle(batch, {} as never)),
  ])
  expect(handled).toBe(40)
})

test.each([1, 2])('a pool of %i handles, maintains, and stops', async (max) => {
  const pool = db.connect({ max })
  let handled = 0
  const ended: unknown[] = []
  const log = { ...silentLog, debug: (_: object, text: string) => void ended.push(text) }
  const handle = async () => {
    if (max > 1) await pool.query('select 1')
    handled += 1
  }
  const parts = [one.handle({ placed: handle }), two.handle({ placed: handle })]
  const app = posthorn({ pool, handlers: parts, log, maintenance: '10ms', mode: 'poll' })
  await place(one, 20)
  await app.start()
  await expect.poll(() => handled, { timeout: 20_000 }).toBe(20)
  await expect.poll(() => ended, { timeout: 20_000 }).toContain('maintenance done')
  await place(two, 20)
  await expect.poll(() => handled, { timeout: 20_000 }).toBe(40)
  await pool.query('select 1')
  await app.stop()
})

test('handlers that never end do not keep the relay from stopping', async () => {
  const pool = db.connect({ max: 4 })
  const begun = new Set<string>()
  const over = Promise.withResolvers<void>()
  const hang = ({ message }: { message: { id: string } }) => {
    begun.add(message.id)
    return over.promise
  }
  const box = outbox('small.one', { claim: { attempt: '300ms', every: '200ms' } })
  const app = posthorn({
    pool,
    handlers: box.handle({ placed: hang }),
    log: silentLog,
    drain: '100ms',
  })
  await place(one, 6)
  await app.start()
  await expect.poll(() => begun.size).toBe(2)
  await app.stop()
  over.resolve()
  expect(begun.size).toBe(2)
})

test('the start says that the pool is small, with the arithmetic', async () => {
  const warned = async (max: number, atOnce?: number) => {
    const texts: unknown[] = []
    const log = { ...silentLog, warn: (fields: object) => void texts.push(fields) }
    const options = atOnce === undefined ? {} : { atOnce }
    const parts = [
      one.handle({ placed: ignore }, options),
      ...(atOnce === undefined ? [] : [two.handle({ placed: ignore }, options)]),
    ]
    const app = posthorn({ pool: db.connect({ max }), handlers: parts, log })
    await app.start()
    await app.stop()
    return texts
  }
  expect(await warned(10)).toEqual([])
  expect(await warned(20, 5)).toEqual([])
  expect(await warned(10, 8)).toEqual([
    { outboxes: ['small.one', 'small.two'], pool: 10, wanted: 16, places: 5, enough: 32 },
  ])
  expect(await warned(2)).toEqual([
    { outboxes: ['small.one'], pool: 2, wanted: 1, places: 1, enough: 4 },
  ])
})
