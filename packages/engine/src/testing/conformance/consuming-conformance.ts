import { expect, it, vi } from 'vitest'
import type { Delivery, Transport } from '../../outbox/transport.ts'
import { byKey, converse, deliverAll, numberDelivery, recorder, refOf, wait } from './recorder.ts'
import type { Client, ConformanceOptions } from './transport-conformance.ts'

/** Longer than the leases and sessions of clients under test. */
const OUTAGE_MS = 8_000

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** What a transport promises to those who read. */
export function consumingConformance(client: Client, { offsets = true }: ConformanceOptions): void {
  it('gives every group everything', async () => {
    const { transport } = await client()
    const one = recorder()
    const two = recorder({ topic: one.topic })
    await transport.subscribe(one.consumer)
    await transport.subscribe(two.consumer)
    const batch = numberDelivery(one.topic, { count: 100, keys: 10 })
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
      sent.push(...numberDelivery(first.topic, { count: 40, keys: 40, from }))
      await deliverAll(sender.transport, sent.slice(from))
    }
    await send()
    await vi.waitFor(() => expect(first.seen.length + second.seen.length).toBeGreaterThan(20), wait)
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
    let failures = 0
    const { log, batch } = await converse(client, {
      async handle({ payload }) {
        if (Object(payload).n === 3 && failures++ < 2) throw new Error('not yet')
      },
    })

    await log.has(batch)
    expect(failures).toBe(3)
    expect(log.byKey()).toEqual(byKey(batch))
  })

  it('does not count a message as done while its handler runs', async () => {
    const dying = await client()
    const held = recorder({ handle: () => new Promise(() => undefined) })
    await dying.transport.subscribe(held.consumer)
    const living = await client()
    const batch = numberDelivery(held.topic, { count: 5, keys: 5 })
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

  it('reads on after an outage in which its membership ended', async () => {
    const { transport, cut, heal } = await client()
    const sender = await client()
    const log = recorder()
    await transport.subscribe(log.consumer)
    const before = numberDelivery(log.topic, { count: 20, keys: 5, prefix: 'before' })
    await deliverAll(sender.transport, before)
    await log.has(before)
    await cut()
    const during = numberDelivery(log.topic, { count: 20, keys: 5, prefix: 'during' })
    await deliverAll(sender.transport, during)
    await sleep(OUTAGE_MS)
    await heal()

    const after = numberDelivery(log.topic, { count: 20, keys: 5, prefix: 'after' })
    await deliverAll(sender.transport, after)
    await log.has([...during, ...after])
    expect(log.byKey()).toEqual(byKey([...before, ...during, ...after]))
  })

  it('waits, when closed, for the message in hand and gives it to no other consumer', async () => {
    const closing = await client()
    const living = await client()
    const slow = recorder({ handle: () => sleep(1_000) })
    const subscription = await closing.transport.subscribe(slow.consumer)
    const batch = numberDelivery(slow.topic, { count: 4, keys: 1 })
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
      const hasPassed = (sent: Parameters<NonNullable<Transport['passed']>>[0]) =>
        transport.passed?.(sent)
      let open = (): void => undefined
      const gate = new Promise<void>((resolve) => (open = resolve))
      const log = recorder({ handle: () => gate })
      await transport.subscribe(log.consumer)
      const batch = numberDelivery(log.topic, { count: 3, keys: 3 })
      const outcomes = await deliverAll(transport, batch)
      const sent = batch.map(({ destination }, i) => ({
        destination: { ...destination, options: { group: log.consumer.group } },
        ref: refOf(outcomes[i]) ?? {},
      }))
      const unread = sent.map((each) => ({
        ...each,
        destination: { ...each.destination, options: { group: 'unread' } },
      }))
      await vi.waitFor(() => expect(log.begun).toBeGreaterThan(0), wait)
      expect(await hasPassed(sent)).toEqual([false, false, false])

      open()
      await log.has(batch)
      await vi.waitFor(async () => {
        expect(await hasPassed(sent)).toEqual([true, true, true])
      }, wait)
      expect(await hasPassed(unread)).toEqual([false, false, false])
      expect(await hasPassed([])).toEqual([])
    })
}
