import { randomUUID } from 'node:crypto'
import { expect, vi } from 'vitest'
import type { Message } from '../outbox/message.ts'
import type { Reference } from '../outbox/outcome.ts'
import type { Consumer, Delivery } from '../outbox/transport.ts'
import { idsByKey } from './numbered-delivery.ts'

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

/** A consumer that keeps what it is given. */
export function recorder({
  topic = `conformance-${randomUUID()}`,
  group = `group-${randomUUID().slice(0, 8)}`,
  handle = async () => undefined,
  ...choices
}: Pick<Consumer, 'retry' | 'dead'> & {
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
