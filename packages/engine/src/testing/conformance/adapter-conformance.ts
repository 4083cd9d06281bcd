import { setImmediate, setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createBell } from '../../database/bell.ts'
import { listPaused, pause } from '../../control/pause.ts'
import type { Outbox } from '../../outbox/define.ts'
import { enqueue } from '../../enqueue/enqueue.ts'
import { sqlState } from '../../errors.ts'
import { defineInbox, inboxTableSql } from '../../inbox/inbox.ts'
import { getMessage } from '@posthorn/operate'
import { createRelay } from '../../relay/relay.ts'
import { fakeTransport, testDatabase, viewTable } from '../index.ts'
import { outboxTables, hookDeliveries } from '../outboxes.ts'
import { transaction, type Transaction } from '../../database/transaction.ts'
import { uuid } from '../../uuid.ts'
import { functionConformance, functionTables } from './adapter-functions.ts'

/** A library's client on the tests' database. `Handle` is the library's transaction. */
export interface OpenClient<Handle> {
  /** As the library's users write it: commits when `work` resolves, rolls back when it throws. */
  transaction<Result>(work: (handle: Handle) => Promise<Result>): Promise<Result>
  /** A transaction in the transaction, by a savepoint. */
  nest<Result>(handle: Handle, work: (inner: Handle) => Promise<Result>): Promise<Result>
  /** Inserts into `public.thing (consumer, event_id)` by the library's own means. */
  insert(handle: Handle, id: string): Promise<unknown>
  /** Every `event_id` in `public.thing`. */
  things(handle: Handle): Promise<string[]>
  /** Handles that are in no transaction. */
  readonly plain: readonly unknown[]
  /** The handle may be in a new transaction by itself: a connection, an entity manager. */
  readonly reusable?: true
  /** The library does not report the commit: relays poll for it. */
  readonly opaqueArray?: true
  close(): Promise<unknown>
}

/** The caller's own table; the engine's inbox has a shape that will do. */
const things = inboxTableSql(defineInbox({ table: 'public.thing', retention: '1d' }))

const refusal = expect.objectContaining({ code: 'NOT_IN_TRANSACTION' }) as Error
const oops = new Error('oops')

/** What every adapter must do, with the real library on a real database. */
export function adapterConformance<Handle>(
  name: string,
  from: (handle: Handle) => Transaction,
  open: (url: string) => Promise<OpenClient<Handle>>,
): void {
  describe(`${name} joins the caller's transaction`, async () => {
    const db = await testDatabase({
      sql: [outboxTables, things, functionTables].join('\n'),
    })
    const hooks = viewTable(db.pool, hookDeliveries as unknown as Outbox)
    const listStored = async () => [...(await hooks.states()).keys()].toSorted()
    const hook = (n: unknown = 1) => ({ endpoint_id: 'shop', payload: { n } })
    let library: OpenClient<Handle>

    beforeAll(async () => {
      library = await open(db.url)
    })
    afterAll(() => library.close())
    beforeEach(() => hooks.empty())

    const inTransaction = <Result>(work: (tx: Transaction, handle: Handle) => Promise<Result>) =>
      library.transaction((handle) => work(from(handle), handle))
    const thingsNow = () => library.transaction((handle) => library.things(handle))

    test("the message and the caller's row commit together", async () => {
      const row = uuid()
      const { id, created } = await inTransaction(async (tx, handle) => {
        await library.insert(handle, row)
        const enqueued = await enqueue(tx, hookDeliveries, hook())
        expect(await library.things(handle)).toContain(row)
        expect(await getMessage(tx, hookDeliveries, enqueued.id)).toMatchObject({
          state: 'pending',
        })
        // No other session sees either of them yet.
        expect(await listStored()).toEqual([])
        return enqueued
      })
      expect(created).toBe(true)
      expect(await listStored()).toEqual([id])
      expect(await thingsNow()).toContain(row)
    })

    test('both are rolled back when the caller throws', async () => {
      const row = uuid()
      const failed = inTransaction(async (tx, handle) => {
        await enqueue(tx, hookDeliveries, hook())
        await library.insert(handle, row)
        throw oops
      })
      await expect(failed).rejects.toThrow(oops)
      expect(await listStored()).toEqual([])
      expect(await thingsNow()).not.toContain(row)
    })

    test('both are rolled back when a later statement of the caller fails', async () => {
      const row = uuid()
      const failed = inTransaction(async (tx, handle) => {
        await library.insert(handle, row)
        await enqueue(tx, hookDeliveries, hook())
        await library.insert(handle, row)
      })
      await expect(failed).rejects.toThrow(Error)
      expect(await listStored()).toEqual([])
      expect(await thingsNow()).not.toContain(row)
    })

    test('a handle in no transaction is refused', async () => {
      expect(library.plain.length).toBeGreaterThan(0)
      for (const plain of library.plain) {
        const attempt = async () => enqueue(from(plain as Handle), hookDeliveries, hook())
        await expect(attempt()).rejects.toThrow(refusal)
        await expect(attempt()).rejects.toThrow(new RegExp(`${from.name} needs|client is not`))
      }
      expect(await listStored()).toEqual([])
    })

    test.each(['commit', 'rollback'])('a handle is refused after its %s', async (end) => {
      let kept: { tx: Transaction; used: Transaction; handle: Handle } | undefined
      const ended = inTransaction(async (tx, handle) => {
        const used = from(handle)
        await enqueue(used, hookDeliveries, hook())
        kept = { tx, used, handle }
        if (end === 'rollback') throw oops
      })
      await ended.catch(() => undefined)
      const before = await listStored()
      const { tx, used, handle } = kept as NonNullable<typeof kept>
      const again = async () => from(handle)
      const late = [async () => tx, async () => used, again]
      for (const make of late) {
        const attempt = async () => enqueue(await make(), hookDeliveries, hook())
        await expect(attempt()).rejects.toThrow(refusal)
        // Nor does it get into another transaction, on the same connection or another.
        await inTransaction(async (other) => {
          await enqueue(other, hookDeliveries, hook('other'))
          if (library.reusable && make === again) return
          await expect(attempt()).rejects.toThrow(refusal)
        })
      }
      expect(await listStored()).toHaveLength(before.length + late.length)
    })

    test('an enqueue that is not awaited never outlives its transaction', async () => {
      // A first one, so that the table is known: from now on it is one statement.
      await inTransaction((tx) => enqueue(tx, hookDeliveries, hook()))
      await hooks.empty()
      const late: Promise<unknown>[] = []
      for (let n = 0; n < 300; n += 1) {
        const failed = inTransaction(async (tx) => {
          if (n % 2 === 0) await pause(tx, hookDeliveries, { by: 'test' })
          const begin = async () => {
            await (n % 4 < 2 ? ticks((n / 4) % 60) : turns((n / 8) % 8))
            await enqueue(tx, hookDeliveries, hook(n))
          }
          late.push(begin().catch(() => undefined))
          if (n % 3 === 0) await setImmediate()
          if (n % 3 === 1) await ticks(n % 101)
          throw oops
        })
        await expect(failed).rejects.toThrow(oops)
      }
      await Promise.all(late)
      expect(await listStored()).toEqual([])
      expect(await listPaused(db.pool)).toEqual([])
    })

    test('a nested transaction that is rolled back takes its message along', async () => {
      const ids = await inTransaction(async (tx, handle) => {
        const outer = await enqueue(tx, hookDeliveries, hook('outer'))
        const failed = library.nest(handle, async (inner) => {
          await enqueue(from(inner), hookDeliveries, hook('lost'))
          throw oops
        })
        await expect(failed).rejects.toThrow(oops)
        const inner = await library.nest(handle, (nested) =>
          enqueue(from(nested), hookDeliveries, hook('inner')),
        )
        const last = await enqueue(tx, hookDeliveries, hook('last'))
        return [outer.id, inner.id, last.id]
      })
      expect(await listStored()).toEqual(ids.toSorted())
    })

    test('a nested transaction confines an error of the database', async () => {
      const { id } = await inTransaction(async (tx, handle) => {
        const first = await enqueue(tx, hookDeliveries, hook())
        const again = library.nest(handle, (inner) =>
          enqueue(from(inner), hookDeliveries, { ...hook(), id: first.id }),
        )
        const error: unknown = await again.catch((thrown: unknown) => thrown)
        expect(sqlState(error)).toBe('23505')
        return first
      })
      expect(await listStored()).toEqual([id])
    })

    test('a relay of this process is woken by the commit', async () => {
      const topics = fakeTransport()
      const relay = createRelay({
        pool: db.pool,
        outboxes: [hookDeliveries],
        transports: { topics },
      })
      const stop = new AbortController()
      const running = relay.run({ signal: stop.signal })
      try {
        // It hears nothing before it has begun.
        await transaction(db.pool, (tx) => enqueue(tx, hookDeliveries, hook(0)))
        await expect.poll(() => topics.arrived.length).toBe(1)
        for (let n = 2; n <= 4; n += 1) {
          await inTransaction(async (tx) => {
            await enqueue(tx, hookDeliveries, hook(n))
            await setTimeout(200)
          })
          // Its poll is 30 s away.
          await expect.poll(() => topics.arrived.length).toBe(n)
        }
      } finally {
        stop.abort()
        await running
      }
    })

    test.each(['commit', 'rollback'])('the bell rings at the %s, not before', async (end) => {
      const rings: string[] = []
      const bell = createBell()
      bell.listen((ring) => rings.push(ring))
      const ended = inTransaction(async (tx, handle) => {
        await enqueue(tx, hookDeliveries, hook())
        tx.ringLater(bell)
        from(handle).ringLater(bell)
        await library.nest(handle, async (inner) => {
          await library.insert(inner, uuid())
        })
        await setTimeout(20)
        expect(rings).toEqual(library.opaqueArray ? ['arm', 'arm'] : [])
        if (end === 'rollback') throw oops
      })
      await ended.catch((error: unknown) => expect(error).toBe(oops))
      await expect.poll(() => rings.includes('ring')).toBe(!library.opaqueArray)
    })

    test('transactions at the same time do not mix', async () => {
      const ids = await Promise.all(
        Array.from({ length: 12 }, async (_, n) => {
          const row = uuid()
          const work = inTransaction(async (tx, handle) => {
            const { id } = await enqueue(tx, hookDeliveries, hook(n))
            await library.insert(handle, row)
            await setTimeout(n % 5)
            await enqueue(from(handle), hookDeliveries, hook(n))
            if (n % 2 === 1) throw oops
            return id
          })
          return work.catch(() => undefined)
        }),
      )
      const kept = ids.filter((id) => id !== undefined)
      expect(kept).toHaveLength(6)
      const all = await listStored()
      expect(all).toHaveLength(12)
      expect(all).toEqual(expect.arrayContaining(kept))
    })

    functionConformance({ pool: db.pool, inTransaction })
  })
}

/** Lets so many microtasks pass. */
async function ticks(count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) await Promise.resolve()
}

/** Lets so many turns of the event loop pass. */
async function turns(count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) await setImmediate()
}
