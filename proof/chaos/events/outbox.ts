import { exponential, type Outbox } from '@posthorn/engine'
import { keyedOutbox, rowOutbox, toMessage, type EventRow } from '../../kit/events/outbox.ts'

/** Keys whose messages end the relay that delivers them. */
export const POISON = 'poison-'

/** Keys whose messages no consumer can handle. */
export const INDIGESTIBLE = 'indigestible-'

export const keyedEvents = keyedOutbox({
  ...{ name: 'chaos.keyed', table: 'crash.keyed_event', transport: 'rabbitmq' },
})

export const rowEvents = rowOutbox(
  { name: 'chaos.rows', table: 'crash.row_event', transport: 'kafka' },
  {
    retry: exponential('200ms', { attempts: 12 }),
    message(row) {
      // Nothing of the process gets a chance to clean up.
      if (row.key.startsWith(POISON)) process.kill(process.pid, 'SIGKILL')
      return toMessage('chaos.rows')(row)
    },
  },
)

export const logEvents = keyedOutbox(
  { name: 'chaos.log', table: 'crash.logged_event', transport: 'kafka' },
  { storage: 'log' },
)

/** Each is read from where it goes to. */
export const transports: Readonly<Record<string, string>> = {
  [keyedEvents.name]: 'rabbitmq',
  [rowEvents.name]: 'kafka',
  [logEvents.name]: 'kafka',
}

export const chaosOutboxes: readonly Outbox<EventRow>[] = [keyedEvents, rowEvents, logEvents]
