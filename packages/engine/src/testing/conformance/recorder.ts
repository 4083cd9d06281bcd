import { randomUUID } from 'node:crypto'
import { expect, vi } from 'vitest'
import { type Message, toMessage } from '../../outbox/message.ts'
import type { Reference, Outcome } from '../../outbox/outcome.ts'
import type {
  Consumer,
  Delivery,
  DeliverOptions,
  Subscriber,
  Transport,
} from '../../outbox/transport.ts'
import { uuid } from '../../uuid.ts'

/** Long enough for a dead member's lease or session to end, with waits of the test servers. */
export const PATIENCE_MS = 40_000

export const wait = { timeout: PATIENCE_MS, interval: 25 }

export interface Recorder {
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

interface Choices extends Pick<Consumer, 'retry' | 'dead'> {
  topic?: string
  group?: string
  handle?: (message: Message) => Promise<void>
}

/** A consumer that keeps what it is given. */
export function recorder({
  topic = `conformance-${randomUUID()}`,
  group = `group-${randomUUID().slice(0, 8)}`,
  handle = async () => undefined,
  ...choices
}: Choices = {}): Recorder {
  const seen: { message: Message; ref: Reference }[] = []
  let begun = 0
  return {
    topic,
    seen,
    get begun() {
      return begun
    },
    consumer: {
      ...choices,
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

export function options(changes: Partial<DeliverOptions> = {}): DeliverOptions {
  return { ordered: true, signal: new AbortController().signal, ...changes }
}

export async function deliverAll(
  transport: Transport,
  batch: readonly Delivery[],
): Promise<readonly Outcome[]> {
  const outcomes = await transport.deliver(batch, options())
  expect(outcomes.filter((outcome) => outcome.kind !== 'delivered')).toEqual([])
  expect(outcomes.length).toBe(batch.length)
  return outcomes
}

export function to(topic: string, message: Message): Delivery {
  return { message, destination: { transport: 'under-test', topic } }
}

interface Numbers {
  readonly count: number
  readonly keys: number
  readonly prefix?: string
  readonly from?: number
}

/** Messages that count up, dealt out to `keys` keys in turn. */
export function numberDelivery(
  topic: string,
  { count, keys, prefix = 'key', from = 0 }: Numbers,
): Delivery[] {
  return Array.from({ length: count }, (_, i) => {
    const n = from + i
    const key = `${prefix}-${n % keys}`
    return to(topic, toMessage({ id: uuid(), type: 'conformance.numbered', key, payload: { n } }))
  })
}

/** A client with a recorder, to which numbered messages were delivered: thirty with three keys. */
export async function converse<Under extends { readonly transport: Transport & Subscriber }>(
  client: () => Promise<Under>,
  { numbers = { count: 30, keys: 3 }, ...choices }: Choices & { numbers?: Numbers } = {},
) {
  const under = await client()
  const log = recorder(choices)
  await under.transport.subscribe(log.consumer)
  const batch = numberDelivery(log.topic, numbers)
  await deliverAll(under.transport, batch)
  return { ...under, log, batch }
}

export function byKey(deliveries: readonly Delivery[]): Record<string, string[]> {
  return idsByKey(deliveries.map(({ message }) => message))
}

export function kind(outcome: Outcome): Outcome['kind'] {
  return outcome.kind
}

export function refOf(outcome: Outcome | undefined): Reference | undefined {
  return outcome?.kind === 'delivered' ? outcome.ref : undefined
}

function idsByKey(messages: readonly Message[]): Record<string, string[]> {
  const ids: Record<string, string[]> = {}
  for (const { key = '', id } of messages) (ids[key] ??= []).push(id)
  return ids
}
