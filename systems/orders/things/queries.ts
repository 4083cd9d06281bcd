import { type Queryable, sql } from '@posthorn/engine'
import {
  type Followed,
  type Found,
  type Sought,
  type Stop,
  amountText,
  amountsIn,
  uuidIn,
  uuidsIn,
} from '@posthorn/system'

interface OrderFound {
  readonly id: string
  readonly saga_id: string
  readonly amount: string
  readonly currency: string
  readonly status: string
  readonly gateway_ref: string | null
}

interface OrderRow extends OrderFound {
  readonly payment: string | null
  readonly refund_ref: string | null
  readonly paid_at: Date | null
  readonly placed_at: Date
}

/** What an order is called, and where it is: it has no page but its saga's. */
const toThing = ({ id, amount, currency, saga_id: saga }: OrderFound) => ({
  ...{ kind: 'order', id, to: `/sagas/${saga}` },
  title: `Order over ${amountText(amount, currency)}`,
})

/** Orders that are looked through for an amount, the newest. */
const MOST_LOOKED_AT = 10_000

/** Orders by their id, their saga's, the reference of their payment, or their amount; each with its saga. */
export async function searchOrders(db: Queryable, sought: Sought): Promise<Found[]> {
  const { org, text, limit } = sought
  const id = uuidIn(text)
  const { rows } = await db.query<OrderFound>(sql`
    select o.id, o.saga_id, o.amount::text as amount, o.currency, s.status, p.gateway_ref
      from (
        select * from sagas.orders where org_id = ${org} and (id = ${id}::uuid or saga_id = ${id}::uuid)
        union
        select o.* from sagas.payment as p join sagas.orders as o on o.id = p.order_id
         where p.gateway_ref = ${text} and o.org_id = ${org} and p.org_id = ${org}
        union
        select * from (select * from sagas.orders where org_id = ${org} order by id desc
                        limit ${MOST_LOOKED_AT}) as newest
         where amount = (${amountsIn(text)}::jsonb ->> currency)::bigint
      ) as o
      join sagas.saga as s on s.id = o.saga_id
      left join sagas.payment as p on p.order_id = o.id
     order by o.id desc
     limit ${limit}`)
  return rows.flatMap((row) => {
    const { status, gateway_ref: ref, saga_id: sagaId } = row
    const order = toThing(row)
    return [
      { ...order, detail: `${status}${ref === null ? '' : `, paid as ${ref}`}` },
      { ...order, kind: 'saga', id: sagaId, title: 'Saga of the order', detail: status },
    ]
  })
}

/** Orders by their id, their saga's, one of its events' or the references of their payment. */
export async function followOrders(db: Queryable, followed: Followed): Promise<Stop[]> {
  const { org, ids, limit } = followed
  const uuids = uuidsIn(ids)
  const { rows } = await db.query<OrderRow>(sql`
    with found as (
      select id from sagas.orders
       where org_id = ${org} and (id = any(${uuids}::uuid[]) or saga_id = any(${uuids}::uuid[]))
      union
      select order_id from sagas.payment
       where org_id = ${org}
         and (gateway_ref = any(${ids}::text[]) or refund_ref = any(${ids}::text[]))
      union
      select o.id from sagas.saga_outbox as e join sagas.orders as o on o.saga_id = e.saga_id
       where e.id = any(${uuids}::uuid[])
    )
    select o.id, o.saga_id, o.amount::text as amount, o.currency, s.status,
           s.created_at as placed_at, p.status as payment, p.gateway_ref, p.refund_ref,
           p.updated_at as paid_at
      from found
      join sagas.orders as o on o.id = found.id and o.org_id = ${org}
      join sagas.saga as s on s.id = o.saga_id
      left join sagas.payment as p on p.order_id = o.id
     order by o.id desc
     limit ${limit}`)
  return rows.map((row) => ({
    ...{ ...toThing(row), detail: row.status },
    ids: [row.saga_id, row.gateway_ref, row.refund_ref],
    events: [
      { at: row.placed_at, what: 'Order placed' },
      { at: row.paid_at, what: `Payment of the order is ${row.payment ?? 'unknown'}` },
    ],
  }))
}

interface SagaRow {
  readonly id: string
  readonly name: string
  readonly status: string
  readonly order_id: string | null
  readonly created_at: Date
  readonly finished_at: Date | null
  readonly steps: readonly {
    readonly name: string
    readonly status: string
    readonly at: string
    readonly undone_at: string | null
  }[]
}

/** Sagas by their id, their order's or one of their events', with what their steps did. */
export async function followSagas(db: Queryable, followed: Followed): Promise<Stop[]> {
  const { org, ids, limit } = followed
  const uuids = uuidsIn(ids)
  const { rows } = await db.query<SagaRow>(sql`
    with found as (
      select id from sagas.saga where id = any(${uuids}::uuid[])
      union
      select saga_id from sagas.orders where org_id = ${org} and id = any(${uuids}::uuid[])
      union
      select saga_id from sagas.saga_outbox where id = any(${uuids}::uuid[])
    )
    select s.id, s.name, s.status, s.created_at, s.finished_at, o.id as order_id,
           array(select jsonb_build_object('name', t.name, 'status', t.status,
                                           'at', t.updated_at, 'undone_at', t.undone_at)
                   from sagas.saga_step as t where t.saga_id = s.id
                  order by t.position limit 50) as steps
      from found
      join sagas.saga as s on s.id = found.id and s.tenant = ${org}
      left join sagas.orders as o on o.saga_id = s.id
     order by s.id desc
     limit ${limit}`)
  return rows.map((row) => ({
    kind: 'saga',
    id: row.id,
    title: `Saga ${row.name}`,
    detail: row.status,
    to: `/sagas/${row.id}`,
    ids: [row.order_id],
    events: [
      { at: row.created_at, what: `Saga ${row.name} started` },
      ...row.steps.map(({ name, status, at }) => ({ at, what: `Step ${name} is ${status}` })),
      { at: row.finished_at, what: `Saga ${row.name} ended ${row.status}` },
    ],
  }))
}

interface EventRow {
  readonly id: string
  readonly saga_id: string
  readonly event_type: string
  readonly status: string
  readonly created_at: Date
  readonly sent_at: Date | null
}

/** What sagas sent and got, newest first: messages of the outbox, for operators. */
export async function followSagaEvents(db: Queryable, followed: Followed): Promise<Stop[]> {
  const { org, ids, limit } = followed
  const uuids = uuidsIn(ids)
  const { rows } = await db.query<EventRow>(sql`
    select e.id, e.saga_id, e.event_type, e.status, e.created_at, e.sent_at
      from sagas.saga_outbox as e
      join sagas.saga as s on s.id = e.saga_id and s.tenant = ${org}
     where e.id = any(${uuids}::uuid[]) or e.saga_id = any(${uuids}::uuid[])
     order by e.created_at desc
     limit ${limit}`)
  return rows.map((row) => ({
    kind: 'message',
    id: row.id,
    title: `Message ${row.event_type}`,
    detail: row.status,
    to: `/messages?outbox=sagas.events&open=sagas.events:${row.id}`,
    readers: 'operators',
    outbox: 'sagas.events',
    ids: [row.saga_id],
    events: [
      { at: row.created_at, what: `${row.event_type} written` },
      { at: row.sent_at, what: `${row.event_type} sent` },
    ],
  }))
}
