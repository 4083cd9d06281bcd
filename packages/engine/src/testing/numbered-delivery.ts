import { expect } from 'vitest'
import { toMessage, type Message } from '../outbox/message.ts'
import type { Outcome, Reference } from '../outbox/outcome.ts'
import type { DeliverOptions, Delivery, Transport } from '../outbox/transport.ts'
import { uuid } from '../uuid.ts'

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

/** Messages that count up, dealt out to `keys` keys in turn. */
export function numberDelivery(
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

export function byKey(deliveries: readonly Delivery[]): Record<string, string[]> {
  return idsByKey(deliveries.map(({ message }) => message))
}

export function kind(outcome: Outcome): Outcome['kind'] {
  return outcome.kind
}

export function refOf(outcome: Outcome | undefined): Reference | undefined {
  return outcome?.kind === 'delivered' ? outcome.ref : undefined
}

export function idsByKey(messages: readonly Message[]): Record<string, string[]> {
  const ids: Record<string, string[]> = {}
  for (const { key = '', id } of messages) (ids[key] ??= []).push(id)
  return ids
}
