import { uuid } from '@posthorn/engine'
import { plainSecret, type ServerTests } from '@posthorn/server/testing'
import { expect } from 'vitest'

const ORDER = { items: [{ sku: 'LAMP', quantity: 1 }], amount: 100, currency: 'EUR' }

/** Amounts come twice, so that the id decides too. */
const SORTED = `
  insert into sagas.saga (id, tenant, name, version, step_names, input, created_at)
  select id, org, 'order', 1, '{pay}', '{}', now() + n * interval '1 s' from n;
  insert into sagas.orders (id, org_id, saga_id, items, amount, currency, created_at)
  select id, org, id, '[{"sku": "LAMP", "quantity": 1}]', 100 * (3 - n / 2 % 3), 'EUR',
         now() + n * interval '1 s'
    from n;`

const WORLD = `
declare
  saga uuid := public.uuid_of(at);
  customer_order uuid := public.uuid_of(at);
begin
  insert into sagas.saga (id, name, version, step_names, tenant, status, input, created_at, finished_at)
  values (saga, 'order', 1, '{a}', org, case when over then 'COMPLETED' else 'RUNNING' end, person, at, case when over then at end);
  insert into sagas.saga_step (saga_id, position, name, status, output, created_at) values (saga, 0, 'a', case when over then 'COMPLETED' else 'WAITING' end, person, at);
  insert into sagas.saga_key (key, name, tenant, saga_id) values (saga::text, 'order', org, saga);
  insert into sagas.saga_action (saga_id, action, was, actor, reason, at) values (saga, 'cancel', 'RUNNING', 'u', note, at);
  insert into sagas.saga_reply (saga_id, event_id, event_type, payload, headers, status, received_at) values (saga, public.uuid_of(at), 'x', person, '{}', 'USED', at);
  insert into sagas.saga_outbox (id, saga_id, step, topic, event_type, key, tenant, payload, status, sent_at, created_at)
  values (public.uuid_of(at), saga, 'a', 't', 'x', saga::text, org, person, case when over then 'SENT' else 'PENDING' end, case when over then at end, at);
  insert into posthorn.archive (outbox, message_id, row_data, archived_at)
  select 'sagas.events', public.uuid_of(at)::text, jsonb_build_object('saga_id', saga, 'tenant', org, 'payload', person, 'seq', 1, 'status', 'SENT'), at where over;
  insert into sagas.orders (id, org_id, saga_id, items, amount, currency, created_at) values (customer_order, org, saga, '[{"sku": "a"}]', 5, 'EUR', at);
  insert into sagas.stock_reservation (order_id, org_id, status, items, created_at) values (customer_order, org, 'RESERVED', '[]', at);
  insert into sagas.payment (order_id, org_id, status, amount, currency, gateway_key, gateway_ref, created_at) values (customer_order, org, 'CHARGED', 5, 'EUR', saga::text, saga::text, at);
  insert into sagas.shipment (order_id, org_id, status, tracking_code, created_at) values (customer_order, org, 'BOOKED', 't', at);
  things := things || jsonb_build_object('saga', saga);
end;`

export const serverTests: ServerTests = {
  access: { operators: /^(POST|DELETE) \/api\/v1\/sagas\// },
  sorting: { seed: SORTED, lists: ['/api/v1/orders', '/api/v1/sagas'] },
  foreign: {
    async make({ make, first }) {
      const { id } = await make('/api/v1/orders', { ...ORDER, hold: true })
      return { orders: { id }, sagas: { id: await first('/api/v1/sagas') } }
    },
    sought: ['orders id'],
    bodies: {
      'POST sagas skip': { step: 'payment', reason: 'stuck' },
      'POST sagas terminate': { reason: 'stuck', step: 'payment' },
      'POST sagas events': { name: 'release' },
    },
    async unchanged({ theirs, foreign }) {
      const id = foreign['orders']?.['id']
      const { body } = await theirs.ask('GET', `/api/v1/orders/${String(id)}`)
      expect(body).toMatchObject({ id })
    },
  },
  secrets: {
    settings: () => ({ GATEWAY_API_KEY: plainSecret(), STRIPE_API_KEY: plainSecret('sk_test_') }),
    neighbourhood: { SAGAS_BROKER: 'rabbitmq' },
    away: ['rabbitmq'],
    provoke: async ({ ask }) => JSON.stringify((await ask('/api/v1/orders', ORDER)).body),
  },
  retention: { world: WORLD, sums: { events: 'select count(*) from sagas.saga_outbox' } },
  journey: {
    links: ['reference'],
    kinds: ['message', 'order', 'saga'],
    says: ['Order placed', 'Step reserve is COMPLETED'],
    async write(pool, { org, reference }) {
      const [order, saga, event] = [uuid(), uuid(), uuid()]
      const run = (text: string, values: unknown[]) => pool.query(text, values)
      await run(
        `insert into sagas.saga (id, name, version, step_names, tenant, input)
         values ($1::uuid, 'order', 1, '{reserve}', $2, '{}')`,
        [saga, org],
      )
      await run(
        `insert into sagas.saga_step (saga_id, position, name, status)
         values ($1::uuid, 0, 'reserve', 'COMPLETED')`,
        [saga],
      )
      await run(
        `insert into sagas.orders (id, org_id, saga_id, items, amount, currency)
         values ($1::uuid, $2, $3, '[{}]', 1000, 'EUR')`,
        [order, org, saga],
      )
      await run(
        `insert into sagas.payment (order_id, org_id, status, amount, currency, gateway_key, gateway_ref)
         values ($1::uuid, $2, 'CHARGED', 1000, 'EUR', $1::text, $3)`,
        [order, org, reference],
      )
      await run(
        `insert into sagas.saga_outbox (id, saga_id, step, topic, event_type, key, tenant, payload)
         values ($1::uuid, $2::uuid, 'reserve', 'sagas.events', 'stock.reserve', $2::text, $3, '{}')`,
        [event, saga, org],
      )
      return { order, saga, event }
    },
  },
}
