import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { advanceClock, useMovableClock } from '../../database/clock.ts'
import { confirm } from '../../relay/settle/confirm.ts'
import { pause, resume } from '../../control/pause.ts'
import { inSql } from '../../outbox/resolved-definition.ts'
import type { Outbox } from '../../outbox/define.ts'
import { enqueue, enqueueAll } from '../../enqueue/enqueue.ts'
import { delivered, refused, retryLater, type Outcome } from '../../outbox/outcome.ts'
import { silentLog } from '../../log.ts'
import { createRelay } from '../../relay/relay.ts'
import { replay } from '../../control/replay.ts'
import { nextDelay } from '../../outbox/retry.ts'
import { transaction } from '../../database/transaction.ts'
import { everywhere, fakeTransport, type FakeTransport } from '../fake-transport.ts'
import { viewTable } from '../table.ts'
import type { Pool, PoolClient } from 'pg'

export interface OutboxUnderTest<Row> {
  pool(): Pool
  /** Names the destinations of the sample use. */
  readonly transports: readonly string[]
  /** A message to enqueue; different for every `n`. In an ordered outbox all share one key. */
  sample(n: number): Partial<Row>
  /** Makes the stored row unreadable for `message(row)`; left out where nothing can. */
  readonly spoil?: string
}

/**
 * What every outbox must do, with any table and column names. A system runs it on its own
 * definition: `outboxConformance(hookDeliveries, { pool: () => db.pool, … })`.
 */
export function outboxConformance<Row>(
  definition: Outbox<Row>,
  subject: OutboxUnderTest<Row>,
): void {
  const outbox = definition as unknown as Outbox
  const { states, retry, counter } = outbox
  // Limits on the row replace the policy's; the sample keeps the default of its table.
  const endless = retry.attempts === undefined

  describe(`${outbox.name} conforms`, () => {
    const pool = () => subject.pool()
    const view = () => viewTable(pool(), outbox)

    const relayTo = (transport: FakeTransport, on = pool()) =>
      createRelay({
        pool: on,
        outboxes: [outbox],
        transports: everywhere(transport, subject.transports),
        mode: 'poll',
        // Relays that are left as a crash leaves them have much to say afterwards.
        log: silentLog,
      })
    const put = async (count: number): Promise<string[]> => {
      const samples = Array.from({ length: count }, (_, n) => subject.sample(n))
      const enqueued = await transaction(pool(), (tx) => enqueueAll(tx, definition, samples))
      return enqueued.map(({ id }) => id)
    }
    const tickUntilIdle = async (transport: FakeTransport, relay = relayTo(transport)) => {
      for (let i = 0; i < 200 && (await relay.runOnce()) > 0; i += 1);
      return relay
    }
    /** Claims and then vanishes, as a process does that is killed in the middle of its attempt. */
    const vanish = async () => {
      const gone = fakeTransport(() => new Promise(() => undefined))
      const mortal = mortalPool(pool())
      const relay = relayTo(gone, mortal.pool)
      void relay.runOnce().catch(() => undefined)
      await expect.poll(() => gone.attempted.length, { timeout: 20_000 }).toBeGreaterThan(0)
      // Or it would wake up behind the end of its attempt, and take the messages of another test.
      mortal.kill()
      await view().expireLeases()
      return gone
    }

    beforeAll(async () => useMovableClock(pool()))
    beforeEach(async () => view().empty())

    test('committed messages are delivered, rolled back ones are not', async () => {
      const ids = await put(3)
      await expect(
        transaction(pool(), async (tx) => {
          await enqueue(tx, definition, subject.sample(9))
          throw new Error('changed my mind')
        }),
      ).rejects.toThrow('changed my mind')
      const transport = fakeTransport()
      await tickUntilIdle(transport)
      expect(transport.arrived).toHaveLength(3)
      expect([...(await view().states())]).toEqual(
        expect.arrayContaining(ids.map((id) => [id, states.sent])),
      )
      expect((await view().states()).size).toBe(3)
    })

    test('a delayed message waits for the business clock', async () => {
      const transport = fakeTransport()
      await transaction(pool(), (tx) =>
        enqueue(tx, definition, subject.sample(0), { delay: '90s' }),
      )
      const relay = await tickUntilIdle(transport)
      expect(transport.attempted).toHaveLength(0)
      await advanceClock(pool(), '2m')
      await tickUntilIdle(transport, relay)
      expect(transport.arrived).toHaveLength(1)
    })

    if (!outbox.order)
      test('a thousand waiting messages do not hide a due one', async () => {
        const samples = Array.from({ length: 1_000 }, (_, n) => subject.sample(n))
        await transaction(pool(), (tx) => enqueueAll(tx, definition, samples, { delay: '1h' }))
        const [due] = await put(1)
        const transport = fakeTransport()
        await relayTo(transport).runOnce()
        expect([...(await view().states())].filter(([, state]) => state === states.sent)).toEqual([
          [due, states.sent],
        ])
      })

    test('a failing message is retried on its schedule and ends as its policy says', async () => {
      const [id] = (await put(1)) as [string]
      const row = (await view().rows())[0] ?? {}
      const own = counter.limit === undefined ? undefined : row[counter.limit]
      const attempts = Number(own ?? retry.attempts ?? 9)
      const transport = fakeTransport(() => retryLater({ code: 'DOWN', message: 'not today' }))
      const relay = relayTo(transport)
      const charged = counter.bumps !== 'on-retry-claim'
      for (let tries = 1; tries <= attempts; tries += 1) {
        await tickUntilIdle(transport, relay)
        expect(transport.attempted).toHaveLength(tries)
        // A publish that fails does not count where only the consumer's attempts do.
        const waitMs = charged ? nextDelay(retry, tries) : 60_000
        if (tries === attempts && !endless && charged) break
        // The clock goes on while the relay looks, for seconds on a busy machine.
        const earlyMs = charged ? Math.max(500, waitMs / 2) : 0
        await advanceClock(pool(), `${waitMs - earlyMs}ms`)
        if (charged) {
          await tickUntilIdle(transport, relay)
          expect(transport.attempted, `early after ${tries} tries`).toHaveLength(tries)
          await advanceClock(pool(), `${earlyMs}ms`)
        }
      }
      const state = (await view().states()).get(id)
      if (endless || !charged) {
        transport.answer = () => delivered()
        await advanceClock(pool(), '1h')
        await tickUntilIdle(transport, relay)
        expect((await view().states()).get(id)).toBe(states.sent)
      } else {
        expect(state).toBe(states.dead)
        expect(await view().alerts()).toEqual([{ subject: id, code: 'DOWN' }])
      }
    })

    test('a refusal ends a message at once, where anything can', async () => {
      const [id] = (await put(1)) as [string]
      const transport = fakeTransport(() => refused({ code: 'NEVER', message: 'not like this' }))
      await tickUntilIdle(transport)
      const state = (await view().states()).get(id)
      expect(state).toBe(endless ? states.retry : states.dead)
    })

    test('two relays never claim the same message', async () => {
      await put(200)
      const transport = fakeTransport()
      const both = [relayTo(transport), relayTo(transport)]
      for (let i = 0; i < 50; i += 1) await Promise.all(both.map((relay) => relay.runOnce()))
      expect(transport.arrived).toHaveLength(200)
      expect(new Set(transport.arrived.map(({ id }) => id)).size).toBe(200)
    })

    test('another relay delivers a lost claim, and the relay that lost it cannot settle', async () => {
      const ids = await put(3)
      const release: (() => void)[] = []
      const zombie = fakeTransport(
        () => new Promise((resolve) => release.push(() => resolve(refused('too late')))),
      )
      const late = relayTo(zombie).runOnce()
      await expect.poll(() => zombie.attempted.length, { timeout: 20_000 }).toBeGreaterThan(0)
      await view().expireLeases()
      const transport = fakeTransport()
      await tickUntilIdle(transport)
      // What may have been sent is sent again only if the definition's policy for it says so.
      expect(new Set(transport.arrived.map(({ id }) => id)).size).toBe(3)
      for (let i = 0; i < 10 && release.length > 0; i += 1) {
        release.splice(0).forEach((go) => go())
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
      await late
      expect([...(await view().states()).values()]).toEqual(ids.map(() => states.sent))
    })

    test('of a half-settled claim the next relay delivers the rest, and what ends late changes nothing', async () => {
      const ids = await put(3)
      const slow = Promise.withResolvers<Outcome>()
      const half = fakeTransport(() => (half.attempted.length === 2 ? slow.promise : delivered()))
      const each: FakeTransport = { ...half, takes: 'each' }
      const late = relayTo(each).runOnce()
      const sent = async () =>
        [...(await view().states()).values()].filter((state) => state === states.sent).length
      await expect.poll(() => half.attempted.length, { timeout: 20_000 }).toBeGreaterThan(1)
      await expect.poll(sent, { timeout: 20_000 }).toBeGreaterThan(0)
      await view().expireLeases()
      const left = ids.length - (await sent())
      const transport = fakeTransport()
      await tickUntilIdle(transport)
      expect(transport.arrived.length).toBeLessThanOrEqual(left)
      const arrived = [...half.arrived, ...transport.arrived].map(({ id }) => id)
      expect(new Set(arrived).size).toBe(ids.length)
      const rows = await view().rows()
      slow.resolve(refused('too late'))
      await late
      expect(await view().rows()).toEqual(rows)
      expect(await sent()).toBe(ids.length)
    })

    test('a message that kills its relay ends, and the rest of its batch is delivered', async () => {
      const ids = await put(3)
      await vanish()
      // The three are suspects now, tried together and then alone; the first one goes on killing.
      const poison = ids[0] as string
      for (let i = 0; i < 40; i += 1) {
        const hangs = Promise.withResolvers<'hangs'>()
        const transport = fakeTransport((message) => {
          if (!JSON.stringify(message).includes(poison)) return delivered()
          hangs.resolve('hangs')
          return new Promise(() => undefined)
        })
        const mortal = mortalPool(pool())
        const done = relayTo(transport, mortal.pool)
          .runOnce()
          .catch(() => 0)
        const claimed = await Promise.race([done, hangs.promise])
        mortal.kill()
        await view().expireLeases()
        if (claimed === 0) break
      }
      const { [poison]: ended, ...rest } = Object.fromEntries(await view().states())
      const row = (await view().rows()).find((each) => String(each[outbox.columns.id]) === poison)
      if (endless) expect(row?.['quarantined_at']).toBeInstanceOf(Date)
      else expect(ended).toBe(states.dead)
      expect(await view().alerts()).toEqual([{ subject: poison, code: 'CLAIM_FATAL' }])
      // Behind a quarantined message of the same key the others wait, unharmed.
      const blocked = outbox.order !== undefined && outbox.order.dead === 'block'
      expect(Object.values(rest)).toEqual(
        blocked ? [states.ready, states.ready] : [states.sent, states.sent],
      )
    })

    if (subject.spoil)
      test('an unreadable row ends with an alert, and other keys continue', async () => {
        const [bad, good] = (await put(2)) as [string, string]
        const { log, table, columns } = inSql(outbox)
        await pool().query(`update ${log ?? table} set ${subject.spoil} where ${columns.id} = $1`, [
          bad,
        ])
        const transport = fakeTransport()
        await tickUntilIdle(transport)
        expect(await view().alerts()).toEqual([{ subject: bad, code: 'MESSAGE_UNREADABLE' }])
        if (outbox.order?.dead !== 'block')
          expect((await view().states()).get(good)).toBe(states.sent)
      })

    test('a paused outbox is left alone until it is resumed', async () => {
      await put(2)
      await transaction(pool(), (tx) => pause(tx, outbox, { by: 'ops', reason: 'maintenance' }))
      const transport = fakeTransport()
      const relay = await tickUntilIdle(transport)
      expect(transport.attempted).toHaveLength(0)
      await transaction(pool(), (tx) => resume(tx, outbox, { by: 'ops' }))
      await tickUntilIdle(transport, relay)
      expect(transport.arrived).toHaveLength(2)
    })

    if (!endless)
      test('a dead message can be replayed, with its attempts back at zero', async () => {
        const [id] = (await put(1)) as [string]
        const transport = fakeTransport(() => refused('no'))
        const relay = await tickUntilIdle(transport)
        const ids = await transaction(pool(), (tx) =>
          replay(tx, definition, { filter: { ids: [id] }, by: 'ops', reason: 'fixed upstream' }),
        )
        expect(ids).toEqual([id])
        transport.answer = () => delivered()
        await tickUntilIdle(transport, relay)
        expect((await view().states()).get(id)).toBe(states.sent)
        expect(await view().transitions(id)).toContain(`${states.dead}>${states.ready}`)
      })

    if (states.confirmed)
      test('an outcome that comes later settles it, once', async () => {
        const [id] = (await put(1)) as [string]
        await tickUntilIdle(fakeTransport())
        const outcome = { id, outcome: delivered() }
        const apply = () => transaction(pool(), (tx) => confirm(tx, definition, [outcome]))
        expect(await apply()).toEqual([id])
        expect(await apply()).toEqual([])
        expect((await view().states()).get(id)).toBe(states.confirmed)
      })

    // A log writes nothing about what goes straight through it.
    if (outbox.log === undefined)
      test('every change of state is recorded', async () => {
        const [id] = (await put(1)) as [string]
        await tickUntilIdle(fakeTransport())
        const claimed = states.claimed ?? outbox.attempting
        const claim = claimed === undefined ? [] : [`${states.ready}>${claimed}`]
        expect(await view().transitions(id)).toEqual([
          ...claim,
          `${claimed ?? states.ready}>${states.sent}`,
        ])
      })
  })
}

/** The pool of a process that can be killed. */
interface MortalPool {
  readonly pool: Pool
  /** From now on nothing of the process reaches the database: what it had in hand is as it left it. */
  kill(): void
}

type Connected = (error: Error, client: undefined, release: () => void) => void

/** Shares the connections of another pool until it is killed; what that pool has to say it does not hear. */
function mortalPool(shared: Pool): MortalPool {
  let isKilled = false
  const unheard = () => pool
  const refuse = (...args: unknown[]): Promise<PoolClient> | undefined => {
    const error = new Error('the process was killed')
    const callback = args.at(-1)
    if (typeof callback !== 'function') return Promise.reject(error)
    ;(callback as Connected)(error, undefined, () => undefined)
    return undefined
  }
  const pool: Pool = new Proxy(shared, {
    get(target, name) {
      if (name === 'on' || name === 'off') return unheard
      if (isKilled && (name === 'connect' || name === 'query')) return refuse
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  })
  return { pool, kill: () => void (isKilled = true) }
}
