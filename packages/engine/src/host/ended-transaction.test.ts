import { setImmediate, setTimeout } from 'node:timers/promises'
import { beforeEach, describe, expect, test } from 'vitest'
import { lendTransaction, transaction, type Transaction } from '../database/transaction.ts'
import { silentLog } from '../log.ts'
import { testDatabase } from '../testing/index.ts'
import { posthorn } from './posthorn.ts'
import { outbox } from './standard-outbox.ts'

/** One connection: the next transaction has the client of the last one. */
const db = await testDatabase()
const pool = db.connect({ max: 1 })
const box = outbox('ended.events')
const handled = box.handle({ happened: async () => undefined })
const app = posthorn({ pool, handlers: handled, log: silentLog })
await app.setUp()
await db.pool.query('create table ended.row (id int generated always as identity)')

const stored = async () => {
  const { rows } = await db.pool.query<{ messages: number; rows: number }>(
    `select (select count(*)::int from ended.events) as messages,
            (select count(*)::int from ended.row) as rows`,
  )
  return rows[0]
}
const NOTHING = { messages: 0, rows: 0 }

beforeEach(async () => {
  await db.pool.query('truncate ended.events, ended.row')
})

/** The two calls that people make, and how often a call is enough to store something. */
const CALLS: [string, (tx: Transaction) => Promise<unknown>][] = [
  ['enqueue', (tx) => box.enqueue(tx, 'happened', {})],
  ['tx.query', (tx) => tx.query('insert into ended.row default values')],
]
const oops = new Error('oops')
const late = expect.objectContaining({ code: 'NOT_IN_TRANSACTION' }) as Error
const forgotten = expect.objectContaining({ code: 'CALL_NOT_AWAITED' }) as Error

describe.each(CALLS)('%s', (_, call) => {
  test('a call without await before a throw is rolled back', async () => {
    const failed = transaction(pool, async (tx) => {
      void call(tx)
      await Promise.resolve()
      throw oops
    })
    await expect(failed).rejects.toBe(oops)
    await setTimeout(20)
    expect(await stored()).toEqual(NOTHING)
  })

  test('without await before a return fails the transaction', async () => {
    const failed = transaction(pool, async (tx) => {
      await tx.query('insert into ended.row default values')
      void call(tx)
    })
    await expect(failed).rejects.toThrow(forgotten)
    await setTimeout(20)
    expect(await stored()).toEqual(NOTHING)
  })

  test('in a function that nobody awaits stores no half of it', async () => {
    let second: Promise<unknown> | undefined
    const failed = transaction(pool, async (tx) => {
      second = call(tx).then(() => call(tx))
      second.catch(() => undefined)
    })
    await expect(failed).rejects.toThrow(forgotten)
    await expect(second).rejects.toThrow(late)
    expect(await stored()).toEqual(NOTHING)
  })

  test.each(['commit', 'rollback'])('after the %s is refused', async (end) => {
    let kept: Transaction | undefined
    const ended = transaction(pool, async (tx) => {
      kept = tx
      if (end === 'rollback') throw oops
    })
    await ended.catch(() => undefined)
    await expect(call(kept!)).rejects.toThrow(late)
    expect(await stored()).toEqual(NOTHING)
  })

  test.each(['commits', 'rolls back'])(
    'from a timer stays out of the next transaction, that %s',
    async (end) => {
      const timer = Promise.withResolvers<unknown>()
      // The next transaction may come later than the timer.
      timer.promise.catch(() => undefined)
      await app.transaction(async (tx) => {
        void setTimeout(30).then(() => call(tx).then(timer.resolve, timer.reject))
      })
      const next = transaction(pool, async (tx) => {
        await expect(timer.promise).rejects.toThrow(late)
        await tx.query('select 1')
        if (end === 'rolls back') throw oops
      })
      const thrown: unknown = await next.catch((error: unknown) => error)
      expect(thrown).toBe(end === 'commits' ? undefined : oops)
      expect(await stored()).toEqual(NOTHING)
    },
  )

  test('without await within a savepoint does not outlive it', async () => {
    const ended = transaction(pool, async (tx) => {
      await tx.query('savepoint part')
      try {
        void call(tx)
        throw oops
      } catch {
        await tx.query('rollback to savepoint part')
      }
    })
    await ended.catch((error: unknown) => expect(error).toEqual(forgotten))
    await setTimeout(20)
    expect(await stored()).toEqual(NOTHING)
  })

  test('of a lent handle ends with the work, while the transaction goes on', async () => {
    await transaction(pool, async (tx) => {
      let kept: Transaction | undefined
      await lendTransaction(tx, async (lent) => void (kept = lent))
      await expect(call(kept!)).rejects.toThrow(late)
      await expect(lendTransaction(tx, async (lent) => void call(lent))).rejects.toThrow(forgotten)
      throw oops
    }).catch((error: unknown) => expect(error).toBe(oops))
    expect(await stored()).toEqual(NOTHING)
  })

  test('side by side and awaited is as good as one after the other', async () => {
    await transaction(pool, async (tx) => {
      await tx.query('savepoint part')
      await Promise.all([call(tx), call(tx), call(tx)])
      await tx.query('release savepoint part')
      await setImmediate()
    })
    const { messages, rows } = (await stored())!
    expect(messages + rows).toBe(3)
  })
})

test('a call that fails while others are in flight keeps its error', async () => {
  const failed = transaction(pool, async (tx) => {
    const broken = tx.query('select 1/0')
    await Promise.all([broken, box.enqueue(tx, 'happened', {})])
  })
  await expect(failed).rejects.toMatchObject({ code: '22012' })
  expect(await stored()).toEqual(NOTHING)
})
