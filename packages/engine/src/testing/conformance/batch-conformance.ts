import { expect, it, vi } from 'vitest'
import { DeliveryError } from '../../errors.ts'
import { listDeadLetters } from '../../consume/dead-letters.ts'
import type { Message } from '../../outbox/message.ts'
import { fixed } from '../../outbox/retry.ts'
import type { Consumer, Handled } from '../../outbox/transport.ts'
import { byKey, deliverAll, numberDelivery, recorder, wait, type Recorder } from './recorder.ts'
import type { Client } from './transport-conformance.ts'

const SIZE = 20
const POISON = 2
const numberOf = ({ payload }: Message): number => (payload as { n: number }).n

interface Together {
  readonly consumer: Consumer
  /** The sizes of the batches, in the order in which they began. */
  readonly sizes: number[]
}

/** A consumer that takes several messages at once and gives them to its recorder, one after the other. */
function together(log: Recorder, begin: () => Promise<void> = async () => undefined): Together {
  const sizes: number[] = []
  const handle = async (messages: readonly Message[]): Promise<Handled[]> => {
    sizes.push(messages.length)
    await begin()
    const failed = new Set<string | undefined>()
    const results: Handled[] = []
    for (const message of messages) {
      if (failed.has(message.key)) results.push('untried')
      else {
        const context = { ref: {}, signal: new AbortController().signal }
        const error = await log.consumer.handle(message, context).then(
          () => undefined,
          (cause: unknown) => cause,
        )
        if (error !== undefined) failed.add(message.key)
        results.push(error === undefined ? 'done' : { error })
      }
    }
    return results
  }
  return { sizes, consumer: { ...log.consumer, batch: { size: SIZE, handle } } }
}

/** What a transport promises to consumers that take several messages at once. */
export function batchConformance(client: Client): void {
  it('gives what has arrived together, in batches of the size, and keeps the order of keys', async () => {
    const { transport, letters } = await client()
    const log = recorder()
    const gate = Promise.withResolvers<void>()
    const { consumer, sizes } = together(log, () => gate.promise)
    await transport.subscribe(consumer)
    const batch = numberDelivery(log.topic, { count: 120, keys: 60 })
    await deliverAll(transport, batch)
    await vi.waitFor(() => expect(sizes.length).toBeGreaterThan(0), wait)
    gate.resolve()
    await log.has(batch)
    expect(log.byKey()).toEqual(byKey(batch))
    expect(log.seen).toHaveLength(batch.length)
    expect(Math.max(...sizes)).toBeGreaterThan(1)
    expect(Math.max(...sizes)).toBeLessThanOrEqual(SIZE)
    await vi.waitFor(async () => expect(await transport.lag(consumer)).toBe(0), wait)
    expect((await listDeadLetters(letters, { topic: log.topic })).items).toEqual([])
  })

  it('ends one message of a batch as a dead letter and handles each of the others once', async () => {
    const { transport, letters } = await client()
    let attempts = 0
    const log = recorder({
      retry: fixed('20ms', { attempts: 3 }),
      async handle(message) {
        if (numberOf(message) !== POISON) return
        attempts++
        throw new Error('never')
      },
    })
    const { consumer } = together(log)
    await transport.subscribe(consumer)
    const batch = numberDelivery(log.topic, { count: 60, keys: 12 })
    await deliverAll(transport, batch)
    const others = batch.filter((_, n) => n !== POISON)
    await log.has(others)
    expect(log.byKey()).toEqual(byKey(others))
    expect(log.seen).toHaveLength(others.length)
    await vi.waitFor(async () => {
      const { items } = await listDeadLetters(letters, { topic: log.topic })
      expect(items).toMatchObject([{ state: 'dead', attempts: 3, payload: { n: POISON } }])
    }, wait)
    expect(attempts).toBe(3)
    await vi.waitFor(async () => expect(await transport.lag(consumer)).toBe(0), wait)
  })

  it('handles one by one what gets nowhere together, and waits where something is away', async () => {
    const { transport, letters } = await client()
    let away = 1
    const log = recorder({
      retry: fixed('20ms', { attempts: 2 }),
      async handle() {
        if (away-- > 0) throw new DeliveryError('AWAY', 'not here', { unreachable: true })
      },
    })
    let broken = 1
    const { consumer } = together(log, async () => {
      if (broken-- > 0) throw new Error('the whole batch')
    })
    await transport.subscribe(consumer)
    const batch = numberDelivery(log.topic, { count: 40, keys: 10 })
    await deliverAll(transport, batch)
    await log.has(batch)
    expect(log.byKey()).toEqual(byKey(batch))
    expect(log.seen).toHaveLength(batch.length)
    expect((await listDeadLetters(letters, { topic: log.topic })).items).toEqual([])
  })
}
