import { sql, type Queryable } from '@posthorn/engine'
import { amountsIn, amountText, uuidIn, type Found, type Sought } from '@posthorn/system'

interface OrderFound {
  readonly id: string
  readonly saga_id: string
  readonly amount: string
  readonly currency: string
  readonly status: string
  readonly gateway_ref: string | null
}

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
    const to = `/sagas/${row.saga_id}`
    const ref = row.gateway_ref === null ? '' : `, paid as ${row.gateway_ref}`
    const detail = `${row.status}${ref}`
    return [
      {
        kind: 'order',
        id: row.id,
        title: `Order over ${amountText(row.amount, row.currency)}`,
        detail,
        to,
      },
      { kind: 'saga', id: row.saga_id, title: 'Saga of the order', detail: row.status, to },
    ]
  })
}
