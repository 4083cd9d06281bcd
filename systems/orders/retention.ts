import { toMs } from '@posthorn/engine'
import { pruneInbox, pruneKeys, type IdempotencyStore } from '@posthorn/engine/inbox'
import type { PersonalTable, RetentionCatalogue } from '@posthorn/operate'
import { consumerInbox } from '@posthorn/saga'

/** True of sagas that have ended, with every event sent. One that failed waits for a person. */
const OVER = `s.status in ('COMPLETED', 'COMPENSATED', 'TERMINATED')
       and not exists (select from sagas.saga_outbox as e
                        where e.saga_id = s.id and e.status <> 'SENT')`

/** When the saga of a row ended; null while it has not. */
const endOf = (sagaId: string) =>
  `(select s.finished_at from sagas.saga as s where s.id = ${sagaId} and ${OVER})`

/** The same for events, which may be of a local saga: that has no row, and has ended. */
const endOfEvent = (sagaId: string, sent: string) =>
  `(select case when count(*) = 0 then ${sent}
                when bool_and(${OVER}) then greatest(${sent}, max(s.finished_at)) end
      from sagas.saga as s where s.id = ${sagaId})`

const endOfOrder = (orderId: string) =>
  `(select s.finished_at from sagas.orders as o join sagas.saga as s on s.id = o.saga_id
     where o.id = ${orderId} and ${OVER})`
const SAGA_OF_ORDER = '(select o.saga_id from sagas.orders as o where o.id = t.order_id)'
const ORG_OF_SAGA = '(select s.tenant from sagas.saga as s where s.id = t.saga_id)'
const ARCHIVED_SAGA = `(t.row_data ->> 'saga_id')::uuid`

const participant = (table: string) => ({
  ...{ table, key: ['order_id'], uuid: 'order_id', org: 't.org_id' },
  dated: endOfOrder('t.order_id'),
  things: { saga: SAGA_OF_ORDER },
})

const things = { saga: 't.saga_id' }
const events = { table: 'sagas.saga_outbox', key: ['id'], org: 't.tenant', things }
const sagas = { table: 'sagas.saga', key: ['id'], org: 't.tenant', things: { saga: 't.id' } }
/** What goes with its saga. */
const parts = [
  { table: 'sagas.saga_reply', key: ['saga_id', 'event_id'] },
  { table: 'sagas.saga_step', key: ['saga_id', 'position'] },
  { table: 'sagas.saga_action', key: ['id'] },
].map((part) => ({ ...part, org: ORG_OF_SAGA, things }))
const keysOf = { table: 'sagas.idempotency_keys', key: ['scope', 'key'] }

/** What sagas and orders keep: a saga, its order and its events go together. */
export function orderRetention({ keys }: { readonly keys: IdempotencyStore }): RetentionCatalogue {
  return {
    classes: [
      {
        // As long as the inbox knows their messages.
        ...{ name: 'sagas.sagas', keep: '365d', least: '30d', personal: true },
        title: 'Sagas that have ended, with their orders, steps and events',
        leaves:
          'The transitions of their events. Sagas that failed stay until an operator ends them.',
        rules: [
          {
            ...{ table: 'posthorn.archive', key: ['message_id', 'outbox'], since: 'archived_at' },
            dated: endOfEvent(ARCHIVED_SAGA, 't.archived_at'),
            when: `t.outbox = 'sagas.events'`,
            org: `t.row_data ->> 'tenant'`,
            things: { saga: `t.row_data ->> 'saga_id'` },
          },
          {
            ...{ ...events, since: 'sent_at', dated: endOfEvent('t.saga_id', 't.sent_at') },
            when: `t.status = 'SENT'`,
          },
          participant('sagas.stock_reservation'),
          participant('sagas.payment'),
          participant('sagas.shipment'),
          {
            ...{ table: 'sagas.orders', key: ['id'], uuid: 'id', org: 't.org_id', things },
            dated: endOf('t.saga_id'),
          },
          ...parts.map((part) => ({ ...part, uuid: 'saga_id', dated: endOf('t.saga_id') })),
          {
            ...{ ...sagas, uuid: 'id', dated: 't.finished_at' },
            when: `t.status in ('COMPLETED', 'COMPENSATED', 'TERMINATED')
               and not exists (select from sagas.saga_outbox as e where e.saga_id = t.id)
               and not exists (select from posthorn.archive as a
                                where a.outbox = 'sagas.events' and a.row_data ->> 'saga_id' = t.id::text)
               and not exists (select from sagas.orders as o where o.saga_id = t.id)`,
          },
        ],
      },
      {
        ...{ name: 'sagas.inbox', fixed: true, personal: false },
        title: 'Ids of events that participants have handled',
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
      {
        ...{ name: 'sagas.idempotency-keys', fixed: true, personal: true },
        title: 'Idempotency keys of orders',
        keep: `${toMs('1d')}ms`,
        leaves: 'The order.',
        maintained: [{ ...keysOf, since: 'expires_at', dated: 't.expires_at' }],
        prune: ({ pool }) => pruneKeys(pool, keys),
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
  { ...sagas, busy: `t.status in ('RUNNING', 'COMPENSATING', 'FAILED')` },
  {
    ...keysOf,
    columns: {
      // The client chose it, and may have put anything into it.
      key: {
        to: `case when t.key ~* $pattern then 'erased-' || gen_random_uuid() else t.key end`,
      },
    },
    org: `case when t.scope like '[%' then t.scope::jsonb ->> 0 else $tenant end`,
    busy: 't.completed_at is null',
  },
]
