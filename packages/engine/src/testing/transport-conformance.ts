import { randomUUID } from 'node:crypto'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Message } from '../message.ts'
import { toMessage } from '../message.ts'
import type { Outcome, Reference } from '../outcome.ts'
import type { Consumer, DeliverOptions, Delivery, Subscriber, Transport } from '../transport.ts'
import { uuid } from '../uuid.ts'

/** A client on a line of its own, which the suite can cut. */
export interface TransportUnderTest {
  readonly transport: Transport & Subscriber
  /** Ends the client's connections and refuses new ones: for the server its process is dead. */
  readonly cut: () => void | Promise<void>
  /** Keeps the connections and lets nothing through, as a network that drops packets. */
  readonly stall: () => void | Promise<void>
  /** Lets connections through again. */
  readonly heal: () => void | Promise<void>
}

/** Long enough for a dead member's lease or session to end, with waits of the test servers. */
const PATIENCE_MS = 40_000
/** "Bounded time" of the contract: a relay must not hang on a broker that is away. */
const UNREACHABLE_MS = 15_000

export interface ConformanceOptions {
  /** Whether the broker knows positions, so that `passed` can be answered. Default true. */
  readonly offsets?: boolean
}

/**
 * What every transport must do, against a real server. `make` gives a new client at each call; the
 * suite closes them. Every test has a topic of its own.
 */
export function transportConformance(
  name: string,
  make: () => Promise<TransportUnderTest>,
  { offsets = true }: ConformanceOptions = {},
): void {
  describe(`${name} keeps the transport's contract`, { timeout: 3 * PATIENCE_MS }, () => {
    const made: TransportUnderTest[] = []
    const client = async (): Promise<TransportUnderTest> => {
      const fresh = await make()
      made.push(fresh)
      return fresh
    }
    afterEach(async () => {
      await Promise.all(made.splice(0).map(({ transport }) => transport.close()))
    })

    it('answers an empty batch with nothing', async () => {
      const { transport } = await client()
      expect(await transport.deliver([], options())).toEqual([])
    })

    it('answers a batch in its order, and says where each message is', async () => {
      const { transport } = await client()
      const log = recorder()
      await transport.subscribe(log.consumer)
      const batch = numbered(log.topic, { count: 500, keys: 20 })
      const outcomes = await deliverAll(transport, batch)

      await log.has(batch)
      const readAt = new Map(log.seen.map(({ message, ref }) => [message.id, ref]))
      const read = batch.map(({ message }) => readAt.get(message.id))
      const sent = outcomes.map(refOf)
      expect(sent).not.toContain(undefined)
      // A broker without offsets has nothing to compare.
      expect(offsets ? sent : read).toEqual(read)
    })

    it('carries the whole envelope', async () => {
      const { transport } = await client()
      const log = recorder()
      await transport.subscribe(log.consumer)
      const rich = toMessage({
        id: uuid(),
        type: 'Posthorn.Prüfung.größer',
        version: 7,
        key: 'Schlüssel 🗝/1',
        tenant: 'mandant-ü',
        occurredAt: new Date('2024-02-29T23:59:59.987Z'),
        traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
        headers: { 'x-correlation': 'c-1', Grüße: '日本語 🎏', empty: '' },
        payload: { text: 'Zeile\n"q" \\ \u0000 🎺', nested: [1, 2.5, null, true, { a: [] }] },
      })
      const plain = toMessage({ id: uuid(), type: 'plain', payload: null })
      const large = toMessage({ id: uuid(), type: 'large', payload: 'ä'.repeat(100_000) })
      const batch = [rich, plain, large].map((message) => to(log.topic, message))
      await deliverAll(transport, batch)

      await log.has(batch)
      for (const message of [rich, plain, large]) expect(log.find(message.id)).toEqual(message)
    })

    it('keeps the order of each key, within and across batches, with senders in parallel', async () => {
      const { transport } = await client()
      const other = await client()
      const log = recorder()
      await transport.subscribe(log.consumer)
      const sent = await Promise.all(
        ['a', 'b', 'c', 'd'].map(async (prefix, i) => {
          const mine = numbered(log.topic, { count: 200, keys: 5, prefix })
          for (let from = 0; from < mine.length; from += 40) {
            await deliverAll(i % 2 ? transport : other.transport, mine.slice(from, from + 40))
          }
          return mine
        }),
      )
      await log.has(sent.flat())
      expect(log.byKey()).toEqual(byKey(sent.flat()))
    })

    it('gives every group everything', async () => {
      const { transport } = await client()
      const one = recorder()
      const two = recorder({ topic: one.topic })
      await transport.subscribe(one.consumer)
      await transport.subscribe(two.consumer)
      const batch = numbered(one.topic, { count: 100, keys: 10 })
      await deliverAll(transport, batch)

      await one.has(batch)
      await two.has(batch)
      expect(one.byKey()).toEqual(byKey(batch))
      expect(two.byKey()).toEqual(byKey(batch))
    })

    it('gives the share of a dead member to the others and loses nothing', async () => {
      const sender = await client()
      const dying = await client()
      const living = await client()
      const first = recorder()
      const second = recorder({ topic: first.topic, group: first.consumer.group })
      await dying.transport.subscribe(first.consumer)
      await living.transport.subscribe(second.consumer)
      const sent: Delivery[] = []
      const send = async (): Promise<void> => {
        const from = sent.length
        sent.push(...numbered(first.topic, { count: 40, keys: 40, from }))
        await deliverAll(sender.transport, sent.slice(from))
      }
      await send()
      await vi.waitFor(
        () => expect(first.seen.length + second.seen.length).toBeGreaterThan(20),
        wait,
      )
      await dying.cut()
      const before = first.seen.length
      for (let i = 0; i < 5; i++) await send()

      await vi.waitFor(() => {
        const got = new Set([...first.seen, ...second.seen].map(({ message }) => message.id))
        expect(sent.filter(({ message }) => !got.has(message.id)).length).toBe(0)
      }, wait)
      // The dead one may at most finish what it had fetched; the rest is the other's.
      expect(second.seen.length).toBeGreaterThan(sent.length - before - 41)
    })

    it('gives a message again when its handler throws, and lets nothing of its key overtake', async () => {
      const { transport } = await client()
      let failures = 0
      const log = recorder({
        async handle({ payload }) {
          if (Object(payload).n === 3 && failures++ < 2) throw new Error('not yet')
        },
      })
      await transport.subscribe(log.consumer)
      const batch = numbered(log.topic, { count: 30, keys: 3 })
      await deliverAll(transport, batch)

      await log.has(batch)
      expect(failures).toBe(3)
      expect(log.byKey()).toEqual(byKey(batch))
    })

    it('does not count a message as done while its handler runs', async () => {
      const dying = await client()
      const held = recorder({ handle: () => new Promise(() => undefined) })
      await dying.transport.subscribe(held.consumer)
      const living = await client()
      const batch = numbered(held.topic, { count: 5, keys: 5 })
      await deliverAll(living.transport, batch)
      await vi.waitFor(() => expect(held.begun).toBeGreaterThan(0), wait)
      // Time enough for an acknowledgement that comes too early to reach the server.
      await sleep(1_000)
      await dying.cut()

      const log = recorder({ topic: held.topic, group: held.consumer.group })
      await living.transport.subscribe(log.consumer)
      await log.has(batch)
      expect(held.seen).toEqual([])
    })

    it('says in bounded time that the server is unreachable, and goes on when it is back', async () => {
      const { transport, cut, heal } = await client()
      const log = recorder()
      await transport.subscribe(log.consumer)
      const warm = numbered(log.topic, { count: 1, keys: 1 })
      await deliverAll(transport, warm)
      await cut()

      // The first attempt may find a connection that has just died under it.
      await vi.waitFor(async () => {
        const begun = performance.now()
        const lost = numbered(log.topic, { count: 3, keys: 3, prefix: 'lost' })
        const outcomes = await transport.deliver(lost, options())
        expect(performance.now() - begun).toBeLessThan(UNREACHABLE_MS)
        expect(outcomes.map(kind)).toEqual(['retryLater', 'retryLater', 'retryLater'])
        expect(outcomes).toEqual(outcomes.map(() => expect.objectContaining({ unreachable: true })))
      }, wait)

      await heal()
      const late = numbered(log.topic, { count: 3, keys: 3, prefix: 'late' })
      await vi.waitFor(async () => {
        const outcomes = await transport.deliver(late, options())
        expect(outcomes.map(kind)).toEqual(['delivered', 'delivered', 'delivered'])
      }, wait)
      // Its own subscription is back as well.
      await log.has([...warm, ...late])
    })

    it('does not wait long for a server that has gone silent', async () => {
      const { transport, stall, heal } = await client()
      const log = recorder()
      await transport.subscribe(log.consumer)
      await deliverAll(transport, numbered(log.topic, { count: 1, keys: 1 }))
      await stall()
      const begun = performance.now()
      const lost = numbered(log.topic, { count: 3, keys: 3, prefix: 'lost' })
      const outcomes = await transport.deliver(lost, options())
      expect(outcomes.map(kind)).toEqual(['retryLater', 'retryLater', 'retryLater'])
      expect(performance.now() - begun).toBeLessThan(UNREACHABLE_MS)

      await heal()
      const late = numbered(log.topic, { count: 3, keys: 3, prefix: 'late' })
      await vi.waitFor(() => deliverAll(transport, late), wait)
      await log.has(late)
    })

    it('reads on after an outage in which its membership ended', async () => {
      const { transport, cut, heal } = await client()
      const sender = await client()
      const log = recorder()
      await transport.subscribe(log.consumer)
      const before = numbered(log.topic, { count: 20, keys: 5, prefix: 'before' })
      await deliverAll(sender.transport, before)
      await log.has(before)
      await cut()
      const during = numbered(log.topic, { count: 20, keys: 5, prefix: 'during' })
      await deliverAll(sender.transport, during)
      await sleep(OUTAGE_MS)
      await heal()

      const after = numbered(log.topic, { count: 20, keys: 5, prefix: 'after' })
      await deliverAll(sender.transport, after)
      await log.has([...during, ...after])
      expect(log.byKey()).toEqual(byKey([...before, ...during, ...after]))
    })

    it('delivers nothing once the signal is aborted', async () => {
      const { transport } = await client()
      const log = recorder()
      await transport.subscribe(log.consumer)
      const called = numbered(log.topic, { count: 3, keys: 1 })
      const outcomes = await transport.deliver(called, options({ signal: AbortSignal.abort() }))
      expect(outcomes.map(kind)).toEqual(['retryLater', 'retryLater', 'retryLater'])

      const next = numbered(log.topic, { count: 1, keys: 1, prefix: 'next' })
      await deliverAll(transport, next)
      await log.has(next)
      expect(log.seen.map(({ message }) => message.key)).toEqual(['next-0'])
    })

    it('refuses a message that cannot be written and holds back only its key', async () => {
      const { transport } = await client()
      const log = recorder()
      await transport.subscribe(log.consumer)
      const any = (key: string, payload: unknown): Delivery =>
        to(log.topic, toMessage({ id: uuid(), type: 'any', key, payload }))
      const batch = [any('a', 1), any('b', 1), any('b', 2n), any('b', 3), any('c', 1)]
      const outcomes = await transport.deliver(batch, options())

      expect(outcomes.map(kind)).toEqual([
        'delivered',
        'delivered',
        'refused',
        'retryLater',
        'delivered',
      ])
      expect(outcomes[3]).toMatchObject({ failure: { code: 'HELD_BACK' }, charge: false })
      const unordered = await transport.deliver(batch.slice(2, 4), options({ ordered: false }))
      expect(unordered.map(kind)).toEqual(['refused', 'delivered'])
      await log.has([batch[0], batch[1], batch[3], batch[4]].filter((each) => each !== undefined))
    })

    it('waits, when closed, for the message in hand and gives it to nobody else', async () => {
      const closing = await client()
      const living = await client()
      const slow = recorder({ handle: () => sleep(1_000) })
      const subscription = await closing.transport.subscribe(slow.consumer)
      const batch = numbered(slow.topic, { count: 4, keys: 1 })
      await deliverAll(living.transport, batch)
      await vi.waitFor(() => expect(slow.begun).toBe(1), wait)
      await subscription.close()
      expect(slow.seen.map(({ message }) => message.id)).toEqual([batch[0]?.message.id])
      await subscription.close()

      const rest = recorder({ topic: slow.topic, group: slow.consumer.group })
      await living.transport.subscribe(rest.consumer)
      await rest.has(batch.slice(1))
      expect(rest.seen.map(({ message }) => message.id)).toEqual(
        batch.slice(1).map(({ message }) => message.id),
      )
      expect(slow.begun).toBe(1)
    })

    if (offsets)
      it('knows whether a group has passed a message', async () => {
        const { transport } = await client()
        const passed = (sent: Parameters<NonNullable<Transport['passed']>>[0]) =>
          transport.passed?.(sent)
        let open = (): void => undefined
        const gate = new Promise<void>((resolve) => (open = resolve))
        const log = recorder({ handle: () => gate })
        await transport.subscribe(log.consumer)
        const batch = numbered(log.topic, { count: 3, keys: 3 })
        const outcomes = await deliverAll(transport, batch)
        const sent = batch.map(({ destination }, i) => ({
          destination: { ...destination, options: { group: log.consumer.group } },
          ref: refOf(outcomes[i]) ?? {},
        }))
        const nobody = sent.map((each) => ({
          ...each,
          destination: { ...each.destination, options: { group: 'nobody' } },
        }))
        await vi.waitFor(() => expect(log.begun).toBeGreaterThan(0), wait)
        expect(await passed(sent)).toEqual([false, false, false])

        open()
        await log.has(batch)
        await vi.waitFor(async () => {
          expect(await passed(sent)).toEqual([true, true, true])
        }, wait)
        expect(await passed(nobody)).toEqual([false, false, false])
        expect(await passed([])).toEqual([])
      })
  })
}

/** Longer than the leases and sessions of clients under test. */
const OUTAGE_MS = 8_000

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

const wait = { timeout: PATIENCE_MS, interval: 25 }

function options(changes: Partial<DeliverOptions> = {}): DeliverOptions {
  return { ordered: true, signal: new AbortController().signal, ...changes }
}

async function deliverAll(
  transport: Transport,
  batch: readonly Delivery[],
): Promise<readonly Outcome[]> {
  const outcomes = await transport.deliver(batch, options())
  expect(outcomes.filter((outcome) => outcome.kind !== 'delivered')).toEqual([])
  expect(outcomes.length).toBe(batch.length)
  return outcomes
}

function to(topic: string, message: Message): Delivery {
  return { message, destination: { transport: 'under-test', topic } }
}

/** Messages that count up, dealt out to `keys` keys in turn. */
function numbered(
  topic: string,
  {
    count,
    keys,
    prefix = 'key',
    from = 0,
  }: { count: number; keys: number; prefix?: string; from?: number },
): Delivery[] {
  return Array.from({ length: count }, (_, i) => {
    const n = from + i
    const key = `${prefix}-${n % keys}`
    return to(topic, toMessage({ id: uuid(), type: 'conformance.numbered', key, payload: { n } }))
  })
}

function byKey(deliveries: readonly Delivery[]): Record<string, string[]> {
  return idsByKey(deliveries.map(({ message }) => message))
}

function idsByKey(messages: readonly Message[]): Record<string, string[]> {
  const ids: Record<string, string[]> = {}
  for (const { key = '', id } of messages) (ids[key] ??= []).push(id)
  return ids
}

interface Recorder {
  readonly consumer: Consumer
  readonly topic: string
  /** What was handled, in order; a repeat stands twice. */
  readonly seen: { message: Message; ref: Reference }[]
  /** Handlers begun, successful or not. */
  readonly begun: number
  find(id: string): Message | undefined
  /** Waits until all of it was handled. */
  has(expected: readonly Delivery[]): Promise<void>
  /** Ids by key in the order in which they were first handled. */
  byKey(): Record<string, string[]>
}

function recorder({
  topic = `conformance-${randomUUID()}`,
  group = `group-${randomUUID().slice(0, 8)}`,
  handle = async () => undefined,
}: {
  topic?: string
  group?: string
  handle?: (message: Message) => Promise<void>
} = {}): Recorder {
  const seen: { message: Message; ref: Reference }[] = []
  let begun = 0
  return {
    topic,
    seen,
    get begun() {
      return begun
    },
    consumer: {
      topic,
      group,
      async handle(message, { ref }) {
        begun++
        await handle(message)
        seen.push({ message, ref })
      },
    },
    find: (id) => seen.find(({ message }) => message.id === id)?.message,
    async has(expected) {
      await vi.waitFor(() => {
        const ids = new Set(seen.map(({ message }) => message.id))
        expect(expected.filter(({ message }) => !ids.has(message.id)).length).toBe(0)
      }, wait)
    },
    byKey: () => idsByKey([...new Map(seen.map(({ message }) => [message.id, message])).values()]),
  }
}

function kind(outcome: Outcome): Outcome['kind'] {
  return outcome.kind
}

function refOf(outcome: Outcome | undefined): Reference | undefined {
  return outcome?.kind === 'delivered' ? outcome.ref : undefined
}
