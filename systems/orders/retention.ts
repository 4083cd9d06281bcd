import { toMs } from '@posthorn/engine'
import { pruneKeys, type IdempotencyStore } from '@posthorn/engine/inbox'
import { mergeCatalogues, type PersonalTable, type RetentionCatalogue } from '@posthorn/operate'
import { endOfSaga, sagaRetention } from '@posthorn/saga'

const SAGA_OF_ORDER = '(select o.saga_id from sagas.orders as o where o.id = t.order_id)'

const participant = (table: string) => ({
  ...{ table, key: ['order_id'], uuid: 'order_id', org: 't.org_id' },
  dated: endOfSaga(SAGA_OF_ORDER),
  things: { saga: SAGA_OF_ORDER },
})

const orders = { table: 'sagas.orders', key: ['id'], uuid: 'id', org: 't.org_id' }
const keysOf = { table: 'sagas.idempotency_keys', key: ['scope', 'key'] }

/** What sagas and orders keep: a saga, its order and its events go together. */
export function orderRetention({ keys }: { readonly keys: IdempotencyStore }): RetentionCatalogue {
  return mergeCatalogues([
    sagaRetention({
      keep: '365d',
      title: 'Ended sagas with their orders, steps and events',
      before: [
        participant('sagas.stock_reservation'),
        participant('sagas.payment'),
        participant('sagas.shipment'),
        { ...orders, dated: endOfSaga('t.saga_id'), things: { saga: 't.saga_id' } },
      ],
      when: 'not exists (select from sagas.orders as o where o.saga_id = t.id)',
    }),
    {
      classes: [
        {
          ...{ name: 'sagas.idempotency-keys', fixed: true, personal: true },
          title: 'Idempotency keys of orders',
          keep: `${toMs('1d')}ms`,
          leaves: 'The order.',
          maintained: [{ ...keysOf, since: 'expires_at', dated: 't.expires_at' }],
          prune: ({ pool }) => pruneKeys(pool, keys),
        },
      ],
      personal: [keyed],
    },
  ])
}

const keyed: PersonalTable = {
  ...keysOf,
  columns: {
    // The client chose it, and may have put anything into it.
    key: {
      to: `case when t.key ~* $pattern then 'erased-' || gen_random_uuid() else t.key end`,
    },
  },
  org: `case when t.scope like '[%' then t.scope::jsonb ->> 0 else $tenant end`,
  busy: 't.completed_at is null',
}
