import { sql, type Queryable } from '@posthorn/engine'
import { amountsIn, uuidIn, type Found, type Sought } from '@posthorn/system'
import { deliveryThing, keyOfLine, lineThing, paymentThing } from '../things.ts'

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
            or amount = (${amountsIn(text)}::jsonb ->> currency)::bigint)
     order by id desc
     limit ${limit}`)
  return rows.map((row) => {
    const { status, external_payment_id: external } = row
    return { ...paymentThing(row), detail: `${status}${external === null ? '' : `, ${external}`}` }
  })
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
  return rows.map((row) => ({
    ...deliveryThing(row),
    detail: `${row.status}, event ${row.event_id}`,
  }))
}

interface LineFound {
  readonly run_id: string
  readonly line_number: number
  readonly filename: string
  readonly amount: string
  readonly currency: string
  readonly status: string
  readonly external_transaction_id: string
}

/** Lines of the newest statements that are looked through for the bank's id: no index has it. */
const MOST_LINES = 100_000

/** Lines of bank statements by their key, `run/line`, the bank's id, or the payment they are matched with. */
export async function searchLines(db: Queryable, sought: Sought): Promise<Found[]> {
  const { org, text, limit } = sought
  const key = keyOfLine(text)
  const id = uuidIn(text)
  const { rows } = await db.query<LineFound>(sql`
    with newest as (
      select id
        from (select id, sum(total) over (order by id desc) as lines
                from payments.reconciliation_runs
               where org_id = ${org} and discarded_at is null
               order by id desc limit 100) as run
       where lines <= ${MOST_LINES} and ${id}::uuid is null
    ), found as (
      select ${key?.run ?? null}::uuid as run_id, ${key?.line ?? null}::int as line_number
      union
      select run_id, line_number from payments.reconciliation_records
       where matched_payment_id = ${id}::uuid and matched_as is null
      union
      select run_id, line_number from payments.reconciliation_records
       where matched_payment_id = ${id}::uuid and matched_as is not null
      union
      select run_id, line_number from payments.reconciliation_links where payment_id = ${id}::uuid
      union
      (select r.run_id, r.line_number
         from newest join payments.reconciliation_records as r on r.run_id = newest.id
        where r.external_transaction_id = ${text}
        limit ${limit})
    )
    select r.run_id, r.line_number, run.filename, r.amount::text as amount, r.currency, r.status,
           r.external_transaction_id
      from found
      join payments.reconciliation_runs as run on run.id = found.run_id and run.org_id = ${org}
      join payments.reconciliation_records as r
        on r.run_id = found.run_id and r.line_number = found.line_number
     order by r.run_id desc, r.line_number
     limit ${limit}`)
  return rows.map((row) => ({
    ...lineThing(row),
    detail: `${row.status}, ${row.external_transaction_id}`,
  }))
}
