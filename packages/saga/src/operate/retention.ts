import type { Duration } from '@posthorn/engine'
import { pruneInbox } from '@posthorn/engine/inbox'
import type { PersonalTable, RetentionCatalogue, RetentionRule } from '@posthorn/operate'
import { consumerInbox } from '../events/replies.ts'

/** True of sagas that have ended, with every event sent. One that failed waits for a person. */
const OVER = `s.status in ('COMPLETED', 'COMPENSATED', 'TERMINATED')
       and not exists (select from sagas.saga_outbox as e
                        where e.saga_id = s.id and e.status <> 'SENT')`

/** When the saga of a row ended, as SQL; null while it has not. */
export function endOfSaga(sagaId: string): string {
  return `(select s.finished_at from sagas.saga as s where s.id = ${sagaId} and ${OVER})`
}

/** The same for events, which may be of a local saga: that has no row, and has ended. */
const endOfEvent = (sagaId: string, sent: string) =>
  `(select case when count(*) = 0 then ${sent}
                when bool_and(${OVER}) then greatest(${sent}, max(s.finished_at)) end
      from sagas.saga as s where s.id = ${sagaId})`

const ORG_OF_SAGA = '(select s.tenant from sagas.saga as s where s.id = t.saga_id)'

const things = { saga: 't.saga_id' }
const events = { table: 'sagas.saga_outbox', key: ['id'], org: 't.tenant', things }
const saga = { table: 'sagas.saga', key: ['id'], org: 't.tenant', things: { saga: 't.id' } }
/** What goes with its saga. */
const parts = [
  { table: 'sagas.saga_reply', key: ['saga_id', 'event_id'] },
  { table: 'sagas.saga_step', key: ['saga_id', 'position'] },
  { table: 'sagas.saga_action', key: ['id'] },
].map((part) => ({ ...part, org: ORG_OF_SAGA, things }))

const keys = {
  ...{ table: 'sagas.saga_key', key: ['key', 'name', 'tenant'] },
  ...{ org: ORG_OF_SAGA, things },
}

export interface SagaRetentionOptions {
  /** How long sagas are kept from their end on. Default `90d`. */
  readonly keep?: Duration | 'forever'
  /** For people: what else goes with the sagas. */
  readonly title?: string
  /** Rows of other tables that go with their saga, and before it. */
  readonly before?: readonly RetentionRule[]
  /** Which sagas may go, as SQL about the row `t`: those that none of these rows names. */
  readonly when?: string
}

/** What sagas keep, and for how long: a saga, its steps, its replies and its events go together. */
export function sagaRetention({
  keep = '90d',
  title = 'Sagas that have ended, with their steps and events',
  before = [],
  when = 'true',
}: SagaRetentionOptions = {}): RetentionCatalogue {
  return {
    classes: [
      {
        ...{ name: 'sagas.sagas', keep, title, personal: true },
        // As long as the inbox knows their messages.
        least: `${consumerInbox.retentionMs}ms`,
        leaves:
          'The transitions of their events. Sagas that failed stay until an operator ends them.',
        rules: [
          {
            ...{ table: 'posthorn.archive', key: ['message_id', 'outbox'], since: 'archived_at' },
            dated: endOfEvent(`(t.row_data ->> 'saga_id')::uuid`, 't.archived_at'),
            when: `t.outbox = 'sagas.events'`,
            org: `t.row_data ->> 'tenant'`,
            things: { saga: `t.row_data ->> 'saga_id'` },
          },
          {
            ...{ ...events, since: 'sent_at', dated: endOfEvent('t.saga_id', 't.sent_at') },
            when: `t.status = 'SENT'`,
          },
          ...before,
          ...[...parts, keys].map((part) => ({
            ...{ ...part, uuid: 'saga_id', dated: endOfSaga('t.saga_id') },
          })),
          {
            ...{ ...saga, uuid: 'id', dated: 't.finished_at' },
            when: `t.status in ('COMPLETED', 'COMPENSATED', 'TERMINATED')
               and not exists (select from sagas.saga_outbox as e where e.saga_id = t.id)
               and not exists (select from posthorn.archive as a
                                where a.outbox = 'sagas.events' and a.row_data ->> 'saga_id' = t.id::text)
               and ${when}`,
          },
        ],
      },
      {
        ...{ name: 'sagas.inbox', fixed: true, personal: false },
        title: 'Ids of events that sagas and their participants have handled',
        keep: `${consumerInbox.retentionMs}ms`,
        leaves: 'Nothing. Events that are older are refused.',
        maintained: [
          {
            ...{ table: 'sagas.consumer_inbox', key: ['event_id', 'consumer'] },
            ...{ ordered: 'event_id', dated: 't.received_at' },
          },
        ],
        prune: async ({ pool, log }) => (await pruneInbox(pool, consumerInbox, { log })).deleted,
      },
    ],
    things: { saga: { table: 'sagas.saga', id: 'id', org: 'tenant' } },
    personal,
    kept: { 'sagas.saga_turn': 'goes an hour after it is done, by the outbox' },
  }
}

const RUNNING = `exists (select from sagas.saga as s
                          where s.id = t.saga_id and s.status in ('RUNNING', 'COMPENSATING', 'FAILED'))`

const personal: PersonalTable[] = [
  { ...events, busy: `t.status <> 'SENT'` },
  ...parts.map((part) => ({ ...part, busy: RUNNING })),
  { ...saga, busy: `t.status in ('RUNNING', 'COMPENSATING', 'FAILED')` },
]
