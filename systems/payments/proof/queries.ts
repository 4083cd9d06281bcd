import { sql, type Queryable } from '@posthorn/engine'
import { all, listIds, one } from '@posthorn/system'
import { countOf } from '../../../proof/kit/stand/queries.ts'

export interface PaymentSums {
  readonly payments: number
  readonly pending: number
  readonly taken: number
  readonly refunded: number
  readonly openKeys: number
}

export const selectPaymentSums = (db: Queryable) =>
  one<PaymentSums>(db)(sql`
    select count(*)::int as payments,
           count(*) filter (where status = 'pending')::int as pending,
           (select coalesce(sum(taken), 0)::float8 from payments.ledger) as taken,
           (select coalesce(sum(refunded), 0)::float8 from payments.ledger) as refunded,
           (select count(*)::int from payments.idempotency_keys where locked) as "openKeys"
      from payments.payments`)

export interface DeliveryRow {
  readonly id: string
  readonly endpoint: string
  readonly status: string
  readonly key: string | null
  readonly position: number
}

export const selectDeliveries = (db: Queryable) =>
  all<DeliveryRow>(db)(sql`
    select d.id, e.url as endpoint, d.status, d.order_key as key, d.position::int as position
      from payments.webhook_deliveries as d
      join payments.webhook_endpoints as e on e.id = d.endpoint_id`)

/** Payments and refunds that the audit tells of never, or more than once. */
export const countUnexplainedPayments = (db: Queryable) =>
  countOf(db)(sql`
    with told as (
      select entity_id,
             count(*) filter (where action = 'payment.created') as created,
             count(*) filter (where action = 'payment.charged') as charged,
             count(*) filter (where action = 'payment.refund_accepted') as refunded
        from payments.audit_log where entity_type = 'payment' group by 1
    ),
    done as (
      select payment_id,
             count(*) filter (where type = 'charge' and status = 'succeeded') as charged,
             count(*) filter (where type = 'refund' and status = 'succeeded') as refunded
        from payments.transactions group by 1
    )
    select count(*)::int as count
      from payments.payments as p
      left join told on told.entity_id = p.id::text
      left join done on done.payment_id = p.id
     where (told.created, told.charged, told.refunded)
           is distinct from (1, done.charged, done.refunded)`)

/** Webhooks whose delivery the audit tells of never, or more than once. */
export const countUnexplainedWebhooks = (db: Queryable) =>
  countOf(db)(sql`
    select count(*)::int as count
      from payments.webhook_deliveries as d
     where d.status = 'delivered'
       and 1 <> (select count(*) from payments.audit_log as a
                  where a.entity_type = 'webhook_delivery' and a.entity_id = d.id::text
                    and a.action in ('webhook.delivered', 'webhook.retry.success'))`)

/** Webhooks delivered, by the counters of their endpoints. */
export const sumDeliveredWebhooks = (db: Queryable) =>
  countOf(db)(sql`
    select (coalesce((select sum(delivered) from payments.webhook_endpoint_hours), 0)
            + coalesce((select sum((c.item ->> 'delivered')::int)
                          from payments.webhook_tallies as t
                          cross join lateral jsonb_array_elements(t.counts) as c (item)), 0)
           )::int as count`)

/** Webhooks that have neither been delivered nor given up. */
export const countOpenDeliveries = (db: Queryable) =>
  countOf(db)(sql`
    select count(*)::int as count from payments.webhook_deliveries
     where status in ('pending', 'failed')`)

/** What charges of the gateway are for, where they are ours. */
export async function selectPaymentIds(db: Queryable): Promise<Set<string>> {
  return new Set(await listIds(db)(sql`select id::text as id from payments.payments`))
}
