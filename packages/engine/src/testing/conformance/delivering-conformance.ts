import { expect, it, vi } from 'vitest'
import { toMessage } from '../../outbox/message.ts'
import type { Delivery } from '../../outbox/transport.ts'
import { uuid } from '../../uuid.ts'
import {
  byKey,
  deliverAll,
  kind,
  numberDelivery,
  options,
  refOf,
  to,
  recorder,
  wait,
} from './recorder.ts'
import type { Client, ConformanceOptions } from './transport-conformance.ts'

/** "Bounded time" of the contract: a relay must not hang on a broker that is away. */
const UNREACHABLE_MS = 15_000

/** What a transport promises to those who send. */
export function deliveringConformance(
  client: Client,
  { offsets = true }: ConformanceOptions,
): void {
  it('answers an empty batch with nothing', async () => {
    const { transport } = await client()
    expect(await transport.deliver([], options())).toEqual([])
  })

  it('answers a batch in its order, and says where each message is', async () => {
    const { transport } = await client()
    const log = recorder()
    await transport.subscribe(log.consumer)
    const batch = numberDelivery(log.topic, { count: 500, keys: 20 })
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

  it('keeps the order of each key, within and across batches, with parallel senders', async () => {
    const { transport } = await client()
    const other = await client()
    const log = recorder()
    await transport.subscribe(log.consumer)
    const sent = await Promise.all(
      ['a', 'b', 'c', 'd'].map(async (prefix, i) => {
        const mine = numberDelivery(log.topic, { count: 200, keys: 5, prefix })
        for (let from = 0; from < mine.length; from += 40) {
          await deliverAll(i % 2 ? transport : other.transport, mine.slice(from, from + 40))
        }
        return mine
      }),
    )
    await log.has(sent.flat())
    expect(log.byKey()).toEqual(byKey(sent.flat()))
  })

  it('says in bounded time that the server is unreachable, and goes on when it is back', async () => {
    const { transport, cut, heal } = await client()
    const log = recorder()
    await transport.subscribe(log.consumer)
    const warm = numberDelivery(log.topic, { count: 1, keys: 1 })
    await deliverAll(transport, warm)
    await cut()

    // The first attempt may find a connection that has just died under it.
    await vi.waitFor(async () => {
      const begun = performance.now()
      const lost = numberDelivery(log.topic, { count: 3, keys: 3, prefix: 'lost' })
      const outcomes = await transport.deliver(lost, options())
      expect(performance.now() - begun).toBeLessThan(UNREACHABLE_MS)
      expect(outcomes.map(kind)).toEqual(['retryLater', 'retryLater', 'retryLater'])
      expect(outcomes).toEqual(outcomes.map(() => expect.objectContaining({ unreachable: true })))
    }, wait)

    await heal()
    const late = numberDelivery(log.topic, { count: 3, keys: 3, prefix: 'late' })
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
    await deliverAll(transport, numberDelivery(log.topic, { count: 1, keys: 1 }))
    await stall()
    const begun = performance.now()
    const lost = numberDelivery(log.topic, { count: 3, keys: 3, prefix: 'lost' })
    const outcomes = await transport.deliver(lost, options())
    expect(outcomes.map(kind)).toEqual(['retryLater', 'retryLater', 'retryLater'])
    expect(performance.now() - begun).toBeLessThan(UNREACHABLE_MS)

    await heal()
    const late = numberDelivery(log.topic, { count: 3, keys: 3, prefix: 'late' })
    await vi.waitFor(() => deliverAll(transport, late), wait)
    await log.has(late)
  })

  it('delivers nothing once the signal is aborted', async () => {
    const { transport } = await client()
    const log = recorder()
    await transport.subscribe(log.consumer)
    const called = numberDelivery(log.topic, { count: 3, keys: 1 })
    const outcomes = await transport.deliver(called, options({ signal: AbortSignal.abort() }))
    expect(outcomes.map(kind)).toEqual(['retryLater', 'retryLater', 'retryLater'])

    const next = numberDelivery(log.topic, { count: 1, keys: 1, prefix: 'next' })
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
}
