import { sql, type Queryable } from '@posthorn/engine'
import { amountIn, amountText, uuidIn } from '../../sought.ts'
import type { Found, Sought } from '../../system.ts'

interface PaymentFound {
  readonly id: string
  readonly amount: string
  readonly currency: string
  readonly status: string
  readonly external_payment_id: string | null
}

/** Payments by their id, the shop's or the gateway's, or their amount. */
export async function searchPayments(db: Queryable, sought: Sought): Promise<Found[]> {
  const { org, text, limit } = sought
  const { rows } = await db.query<PaymentFound>(sql`
    select id, amount::text as amount, currency, status, external_payment_id
      from payments.payments
     where org_id = ${org}
       and (id = ${uuidIn(text)}::uuid or external_payment_id = ${text} or gateway_ref = ${text}
            or amount = ${amountIn(text)}::bigint)
     order by id desc
     limit ${limit}`)
  return rows.map(({ id, amount, currency, status, external_payment_id: external }) => ({
    kind: 'payment',
    id,
    title: `Payment of ${amountText(amount, currency)}`,
    detail: `${status}${external === null ? '' : `, ${external}`}`,
    to: `/payments?open=${id}`,
  }))
}

interface DeliveryFound {
  readonly id: string
  readonly event_id: string
  readonly event_type: string
  readonly status: string
}

/** Deliveries that are looked through for what they are about, the newest. */
const MOST_LOOKED_AT = 5_000

/** Webhook deliveries by their id, their event's, or the id of what they tell of. */
export async function searchDeliveries(db: Queryable, sought: Sought): Promise<Found[]> {
  const { org, text, limit } = sought
  const id = uuidIn(text)
  const { rows } = await db.query<DeliveryFound>(sql`
    select id, event_id, event_type, status
      from (
        select id, event_id, event_type, status from payments.webhook_deliveries
         where org_id = ${org} and (id = ${id}::uuid or event_id = ${text})
        union
        select id, event_id, event_type, status
          from (select * from payments.webhook_deliveries
                 where org_id = ${org} and ${id}::uuid is not null
                 order by id desc limit ${MOST_LOOKED_AT}) as newest
         where payload::text like '%' || ${text}::text || '%'
      ) as found
     order by id desc
     limit ${limit}`)
  return rows.map(({ id: delivery, event_id: event, event_type: type, status }) => ({
    kind: 'webhook',
    id: delivery,
    title: `Webhook ${type}`,
    detail: `${status}, event ${event}`,
    to: `/webhooks/deliveries?open=${delivery}`,
  }))
}
