import { defineOutbox, exponential, type Outbox } from '@posthorn/engine'

export interface Greeting {
  id: string
  org_id: string
  name: string
  status: 'waiting' | 'sent' | 'dead'
  attempts: number
  due_at: Date
  error: string | null
  traceparent: string | null
  created_at: Date
  sent_at: Date | null
}

export const TOPIC = 'example.greetings'

/** An outbox as small as they come: one table, one destination, five attempts. */
export function greetingOutbox(transport: string): Outbox<Greeting> {
  return defineOutbox<Greeting>({
    name: 'example.greetings',
    table: 'example.greeting',
    states: { ready: 'waiting', sent: 'sent', dead: 'dead' },
    columns: {
      dueAt: 'due_at',
      error: 'error',
      tenant: 'org_id',
      createdAt: 'created_at',
      sentAt: 'sent_at',
      traceparent: 'traceparent',
    },
    counter: { column: 'attempts', bumps: 'on-failure' },
    retry: exponential('1s', { attempts: 5 }),
    destination: { transport, topic: TOPIC },
    message: ({ id, org_id: tenant, name, created_at: occurredAt }) => ({
      id,
      type: 'example.greeted',
      tenant,
      occurredAt,
      payload: { name },
    }),
  })
}
