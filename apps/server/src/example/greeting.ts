import {
  defineInbox,
  defineOutbox,
  enqueue,
  exponential,
  once,
  transaction,
} from '@posthorn/engine'
import type { Consumer, Enqueued, Transaction } from '@posthorn/engine'
import type { Pool } from 'pg'
import { countGreeting } from './queries.ts'

interface Greeting {
  id: string
  name: string
  status: 'waiting' | 'sent' | 'dead'
  attempts: number
  due_at: Date
  error: string | null
  created_at: Date
  sent_at: Date | null
}

/** An outbox as small as they come: one table, one destination, five attempts. */
export const greetings = defineOutbox<Greeting>({
  name: 'example.greetings',
  table: 'example.greeting',
  states: { ready: 'waiting', sent: 'sent', dead: 'dead' },
  columns: { dueAt: 'due_at', error: 'error', createdAt: 'created_at', sentAt: 'sent_at' },
  counter: { column: 'attempts', bumps: 'on-failure' },
  retry: exponential('1s', { attempts: 5 }),
  destination: { transport: 'topics', topic: 'example.greetings' },
  message: ({ id, name, created_at }) => ({
    id,
    type: 'example.greeted',
    occurredAt: created_at,
    payload: { name },
  }),
})

const inbox = defineInbox({ table: 'example.inbox', retention: '30d' })

/** Writes a greeting; it is delivered if and only if the transaction commits. */
export function greet(tx: Transaction, name: string): Promise<Enqueued> {
  return enqueue(tx, greetings, { name })
}

/** Counts greetings by name, each message once however often it arrives. */
export function greeter(pool: Pool, told: (name: string, times: number) => void): Consumer {
  return {
    topic: 'example.greetings',
    group: 'greeter',
    async handle(message) {
      const { name } = message.payload as { name: string }
      const receipt = { inbox, consumer: 'greeter', id: message.id }
      const done = await transaction(pool, (tx) => once(tx, receipt, () => countGreeting(tx, name)))
      if (done.first) told(name, done.result)
    },
  }
}
