import { randomBytes, randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { toMessage, type MessageInit } from '../outbox/message.ts'
import { testDatabase } from '../testing/index.ts'
import type { ConsumedMessage } from './consumed-message.ts'
import { listDeadLetters } from './dead-letters.ts'
import { SetAsideStore } from './set-aside-store.ts'

const db = await testDatabase()
const consumer = { topic: 'events', group: 'readers' }

test('a run is suspect to others, and not to the process that lives through it', async () => {
  const own = new SetAsideStore(db.pool, consumer)
  const other = new SetAsideStore(db.pool, consumer)
  await own.noteRun(3, 250)
  expect(await other.open(3, 7)).toMatchObject({ suspectUpto: 250 })
  // It has lost the partition for a while: the database was away for longer than its lease.
  expect((await own.open(3, 7)).suspectUpto).toBeUndefined()
})

describe('a message of a foreign producer', () => {
  /** Random: an entry of an index is compressed. */
  const long = (bytes: number) => randomBytes(bytes / 2).toString('hex')
  const nested = (levels: number): unknown =>
    JSON.parse(`${'{"a":['.repeat(levels / 2)}1${']}'.repeat(levels / 2)}`)
  const failure = { code: 'MY_CODE', message: 'never' }
  const died = { attempts: 3, failure }
  const receive = (init: Partial<MessageInit>, place?: ConsumedMessage['place']) => {
    const message = toMessage({ id: randomUUID(), type: 't', payload: { n: 1 }, ...init })
    return { id: message.id, place, message }
  }
  const storeOf = (group: string, dead: 'skip' | 'block' = 'skip') => ({
    store: new SetAsideStore(db.pool, { topic: 'foreign', group, dead }),
    letters: async () => (await listDeadLetters(db.pool, { topic: 'foreign', group })).items,
  })
  const at = { partition: 0, offset: 7 }

  test.each([
    ['a version beyond an integer', receive({ version: 3_000_000_000 }, at), '{"n":1}'],
    [
      'JSON of 20,000 levels',
      receive({ payload: nested(20_000) }, at),
      `${'{"a":['.repeat(10_000)}1${']}'.repeat(10_000)}`,
    ],
    ['a tenant of 5 kB', receive({ tenant: long(5_000), version: 2 ** 40 }), '{"n":1}'],
    [
      'half a character in what is refused',
      receive({ type: '\ud800', id: `\ud800${long(5_000)}`, version: 2 ** 40 }),
      '{"n":1}',
    ],
  ])('with %s is a reduced dead letter, once', async (name, received, payload) => {
    const { store, letters } = storeOf(name)
    for (let time = 0; time < 2; time += 1) await store.bury(received, died)
    const [letter, ...others] = await letters()
    expect(others).toEqual([])
    expect(letter).toMatchObject({ state: 'dead', code: 'MESSAGE_UNSTORABLE', attempts: 3 })
    expect(letter?.error).toMatch(/sha256:[0-9a-f]{64}.*MY_CODE: never/s)
    expect(Buffer.from(letter?.body ?? []).toString()).toBe(payload)
    expect(letter?.messageId.length).toBeLessThan(600)
    const { rows } = await db.pool.query(
      `select 1 from posthorn.alert where source = $1 and code = 'MESSAGE_UNSTORABLE'`,
      [`foreign/${name}`],
    )
    expect(rows).toHaveLength(1)
    if (!received.place) expect(await store.has(received.id)).toBe(true)
  })

  test('keeps the first MiB of what is refused', async () => {
    const { store, letters } = storeOf('large')
    await store.bury(receive({ version: 2 ** 40, payload: 'x'.repeat(3_000_000) }), died)
    const [letter] = await letters()
    expect(letter?.body).toHaveLength(1_048_576)
    expect(letter?.error).toContain('3000002 bytes')
  })

  test('is refused as well when it was to be tried again, or parked', async () => {
    const { store, letters } = storeOf('waiting', 'block')
    await store.retryLater(receive({ key: 'k', payload: nested(20_000) }, at), died, 60_000)
    const behind = receive({ key: 'k', version: 2 ** 40 }, { partition: 0, offset: 8 })
    expect(await store.park(behind)).toBe(true)
    expect((await letters()).map(({ state, code }) => ({ state, code }))).toEqual(
      Array(2).fill({ state: 'dead', code: 'MESSAGE_UNSTORABLE' }),
    )
  })

  test('with a key of 5 kB is kept whole, and what is behind it follows', async () => {
    const { store, letters } = storeOf('long key')
    const key = long(5_000)
    await store.retryLater(receive({ key }, at), { ...died, attempts: 1 }, 0)
    expect(await store.park(receive({ key }, { partition: 0, offset: 8 }))).toBe(true)
    expect((await letters()).map((each) => each.state).toSorted()).toEqual(['parked', 'retry'])
    const [claimed] = await store.claim(10, 1_000)
    expect(claimed?.message.key).toBe(key)
    if (claimed) await store.remove(claimed)
    expect(await store.claim(10, 1_000)).toMatchObject([{ place: { partition: 0, offset: 8 } }])
  })

  test('with an id of 5 kB is kept whole, once', async () => {
    const { store, letters } = storeOf('long id')
    const received = receive({ id: long(5_000) })
    for (let time = 0; time < 2; time += 1) await store.bury(received, died)
    expect(await letters()).toMatchObject([{ messageId: received.id, code: 'MY_CODE' }])
    expect(await store.has(received.id)).toBe(true)
    expect(await store.has(`${received.id}x`)).toBe(false)
  })

  test('that is nested deeply is listed as JSON, whole or reduced', async () => {
    const { store, letters } = storeOf('deep')
    for (let levels = 500; levels <= 6_000; levels += 500) {
      await store.bury(receive({ payload: nested(levels) }, { partition: 0, offset: levels }), died)
    }
    expect(JSON.stringify(await letters()).length).toBeGreaterThan(5_000)
  })

  test('that cannot be set aside is an alert until it can be', async () => {
    const { store } = storeOf('stuck')
    const alerts = async () => {
      const { rows } = await db.pool.query<{ subject: string; detail: string; over: boolean }>(
        `select subject, detail, recovered_at is not null as over from posthorn.alert
          where source = 'foreign/stuck' and code = 'MESSAGE_STUCK'`,
      )
      return rows
    }
    const id = `\ud800${long(5_000)}`
    for (let time = 0; time < 2; time += 1) await store.raiseStuck(id, new Error('not \0 now'))
    expect(await alerts()).toMatchObject([
      { detail: expect.stringContaining('not  now'), over: false },
    ])
    await store.recoverStuck(id)
    expect(await alerts()).toMatchObject([{ over: true }])
  })

  test('a failure of the database itself is thrown', async () => {
    const gone = new SetAsideStore(
      { query: () => Promise.reject(Object.assign(new Error('stop'), { code: '57P01' })) } as never,
      { topic: 'foreign', group: 'gone' },
    )
    await expect(gone.bury(receive({}), died)).rejects.toThrow('stop')
  })
})
