import { defineOutbox, exponential, schedule, type Outbox } from '@posthorn/engine'
import { claim, columns, toMessage, type EventRow } from '../crash/outbox.ts'

/** Keys whose messages end the relay that delivers them. */
export const POISON = 'poison-'

/** Keys whose messages no consumer can handle. */
export const INDIGESTIBLE = 'indigestible-'

/** Ordered by key, and never gives up; by RabbitMQ. */
export const keyedEvents = defineOutbox<EventRow>({
  name: 'chaos.keyed',
  table: 'crash.keyed_event',
  states: { ready: 'ready', sent: 'sent' },
  columns,
  counter: { column: 'attempts', bumps: 'on-failure', unreachable: 'charged' },
  claim,
  order: { key: 'key', dead: 'block' },
  retry: schedule(['200ms', '500ms', '1s', '2s'], { then: 'repeat-last' }),
  destination: { transport: 'rabbitmq', topic: 'chaos.keyed' },
  message: toMessage('chaos.keyed'),
})

/** Without an order, and with an end; by Kafka. */
export const rowEvents = defineOutbox<EventRow>({
  name: 'chaos.rows',
  table: 'crash.row_event',
  states: { ready: 'ready', sent: 'sent', dead: 'dead' },
  columns,
  counter: { column: 'attempts', bumps: 'on-failure' },
  claim,
  retry: exponential('200ms', { attempts: 12 }),
  destination: { transport: 'kafka', topic: 'chaos.rows' },
  message(row) {
    // Nothing of the process gets a chance to clean up.
    if (row.key.startsWith(POISON)) process.kill(process.pid, 'SIGKILL')
    return toMessage('chaos.rows')(row)
  },
})

export const chaosOutboxes: readonly Outbox<EventRow>[] = [keyedEvents, rowEvents]
