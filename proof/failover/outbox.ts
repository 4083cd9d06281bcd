import { exponential, type Outbox } from '@posthorn/engine'
import { keyedOutbox, rowOutbox, type EventRow } from '../kit/events/outbox.ts'

/** Where the scenario wants them to go: the broker, and topics in the database itself. */
const KEYED_TRANSPORT = process.env['FAILOVER_KEYED'] ?? 'rabbitmq'
const ROW_TRANSPORT = process.env['FAILOVER_ROWS'] ?? 'topics'

export const keyedEvents = keyedOutbox({
  ...{ name: 'failover.keyed', table: 'crash.keyed_event', transport: KEYED_TRANSPORT },
})

/** With an end, and enough attempts for a cluster that is away for a while. */
export const rowEvents = rowOutbox(
  { name: 'failover.rows', table: 'crash.row_event', transport: ROW_TRANSPORT },
  { retry: exponential('200ms', { max: '5s', attempts: 60 }) },
)

/** As ordered as the first, kept in a log beside its table. */
export const logEvents = keyedOutbox(
  { name: 'failover.log', table: 'crash.logged_event', transport: KEYED_TRANSPORT },
  { storage: 'log' },
)

export const failoverOutboxes: readonly Outbox<EventRow>[] = [keyedEvents, rowEvents, logEvents]

/** Each is read from where it goes to. */
export const transports: Readonly<Record<string, string>> = {
  [keyedEvents.name]: KEYED_TRANSPORT,
  [rowEvents.name]: ROW_TRANSPORT,
  [logEvents.name]: KEYED_TRANSPORT,
}
