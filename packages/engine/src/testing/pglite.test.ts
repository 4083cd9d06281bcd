import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { sql } from '../database/sql-tag.ts'
import { posthorn } from '../host/posthorn.ts'
import { outbox } from '../host/standard-outbox.ts'
import { silentLog } from '../log.ts'
import { fixed } from '../outbox/retry.ts'
import { PGLITE_LIMITS, pgliteDatabase } from './pglite.ts'

interface Events {
  placed: { readonly order: number }
}

const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
const events = outbox<Events>('shop.outbox', {
  order: 'key',
  retry: fixed('1h', { attempts: 2 }),
})
const database = await pgliteDatabase({ sql: 'create table effect (order_id int primary key)' })
const printed = said.mock.calls.join('')
said.mockRestore()
let broken = false
const placed = events.handle({
  placed: async ({ payload, tx }) => {
    await tx.query(sql`insert into effect values (${payload.order})`)
    if (broken) throw new Error('not today')
  },
})
const app = posthorn({ ...database.relay, handlers: placed, log: silentLog })

const place = (order: number) =>
  app.transaction((tx) => events.enqueue(tx, 'placed', { order }, { key: String(order) }))
const effects = async () => (await database.pool.query('select * from effect')).rows

beforeAll(() => app.setUp())
afterAll(() => database.close())

test('what it cannot do is said at the start', () => {
  for (const limit of PGLITE_LIMITS) expect(printed).toContain(limit)
})

test('a message is handled once, by runOnce', async () => {
  await place(1)
  await app.runOnce()
  await app.runOnce()
  expect(await effects()).toEqual([{ order_id: 1 }])
})

test('what is rolled back was never there, and a failure keeps no effect', async () => {
  const undone = app.transaction(async (tx) => {
    await events.enqueue(tx, 'placed', { order: 2 }, { key: '2' })
    throw new Error('no')
  })
  await expect(undone).rejects.toThrow('no')
  broken = true
  await place(3)
  await app.runOnce()
  expect(await effects()).toEqual([{ order_id: 1 }])
  const waiting = await database.pool.query(
    `select key, attempts, error from shop.outbox where status = 'pending'`,
  )
  expect(waiting.rows).toEqual([{ key: '3', attempts: 1, error: 'not today' }])
})

test('a relay that runs polls, and stops', async () => {
  broken = false
  await app.start()
  await place(4)
  await expect.poll(effects).toContainEqual({ order_id: 4 })
  await app.stop()
})
