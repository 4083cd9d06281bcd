import { sql, type Queryable } from '@posthorn/engine'
import {
  all,
  amountsIn,
  amountText,
  listClockMoves,
  madeAt,
  realTimeOf,
  uuidIn,
  uuidsIn,
  type Followed,
  type Found,
  type Sought,
  type Stop,
} from '@posthorn/system'

/*
 * What the things of this system are called, where they are, and how they are found: by who searches, and
 * on the way of a journey.
 */

type Thing = Omit<Found, 'detail'>

interface Money {
  readonly amount: string
  readonly currency: string
}

interface PaymentRow extends Money {
  readonly id: string
  readonly status: string
  readonly external_payment_id: string | null
}

interface DeliveryRow {
  readonly id: string
  readonly event_id: string
  readonly event_type: string
  readonly status: string
}

interface LineRow extends Money {
  readonly run_id: string
  readonly line_number: number
  readonly filename: string
  readonly status: string
}

function paymentThing({ id, amount, currency }: PaymentRow): Thing {
  const title = `Payment of ${amountText(amount, currency)}`
  return { kind: 'payment', id, title, to: `/payments?open=${id}` }
}

function deliveryThing({ id, event_type: type }: DeliveryRow): Thing {
  return { kind: 'webhook', id, title: `Webhook ${type}`, to: `/webhooks/deliveries?open=${id}` }
}

/** A line of a statement has no id of its own: its file and number are its key, as approvals have it. */
function lineThing(row: LineRow): Thing {
  const { run_id: run, line_number: line, filename, amount, currency } = row
  return {
    kind: 'statement line',
    id: `${run}/${line}`,
    title: `Line ${line} of ${filename}, ${amountText(amount, currency)}`,
    to: `/reconciliation/${run}?open=${line}`,
  }
}

const KEY = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\/([1-9]\d{0,8})$/i

/** The file and number of a line; undefined for what is no key of one. */
function keyOfLine(id: string): { readonly run: string; readonly line: number } | undefined {
  const [, run, line] = KEY.exec(id) ?? []
  return run === undefined ? undefined : { run, line: Number(line) }
}

/** Lines that one of these payments was matched with, whole, in part, or with others. */
const linesOf = (payments: readonly string[]) => sql`
  select run_id, line_number from payments.reconciliation_records
   where matched_payment_id = any(${payments}::uuid[]) and matched_as is null
  union
  select run_id, line_number from payments.reconciliation_records
   where matched_payment_id = any(${payments}::uuid[]) and matched_as is not null
  union
  select run_id, line_number from payments.reconciliation_links
   where payment_id = any(${payments}::uuid[])`

/** Payments by their id, the shop's or the gateway's, or their amount. */
export async function searchPayments(db: Queryable, sought: Sought): Promise<Found[]> {
  const { org, text, limit } = sought
  const rows = await all<PaymentRow>(db)(sql`
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

/** Deliveries that are looked through for what they are about, the newest. */
const MOST_LOOKED_AT = 5_000

/** Webhook deliveries by their id, their event's, or the id of what they tell of. */
export async function searchDeliveries(db: Queryable, sought: Sought): Promise<Found[]> {
  const { org, text, limit } = sought
  const id = uuidIn(text)
  const rows = await all<DeliveryRow>(db)(sql`
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
  return rows.map((row) => {
    return { ...deliveryThing(row), detail: `${row.status}, event ${row.event_id}` }
  })
}

/** Lines of the newest statements that are looked through for the bank's id: no index has it. */
const MOST_LINES = 100_000

/** Lines of bank statements by their key, `run/line`, the bank's id, or the payment they are matched with. */
export async function searchLines(db: Queryable, sought: Sought): Promise<Found[]> {
  const { org, text, limit } = sought
  const key = keyOfLine(text)
  const id = uuidIn(text)
  const rows = await all<LineRow & { readonly external_transaction_id: string }>(db)(sql`
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
      ${linesOf(uuidsIn([text]))}
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
  return rows.map((row) => {
    return { ...lineThing(row), detail: `${row.status}, ${row.external_transaction_id}` }
  })
}

interface FollowedPayment extends PaymentRow {
  readonly gateway_ref: string | null
  readonly created_at: Date
  readonly moves: readonly {
    readonly id: string
    readonly type: string
    readonly status: string
    readonly ref: string | null
    readonly at: string
  }[]
  readonly told: readonly { readonly id: string; readonly type: string; readonly at: string }[]
}

/** States that are announced to endpoints: their events have an id made of it and the payment's. */
const ANNOUNCED = ['failed', 'authorised', 'voided']

/** Payments by their id, the shop's or the gateway's, with what the gateway told of them. */
export async function followPayments(db: Queryable, followed: Followed): Promise<Stop[]> {
  const { org, ids, limit } = followed
  const uuids = uuidsIn(ids)
  const rows = await all<FollowedPayment>(db)(sql`
    with found as (
      select id from payments.payments where org_id = ${org} and id = any(${uuids}::uuid[])
      union
      select id from payments.payments
       where org_id = ${org} and external_payment_id = any(${ids}::text[])
      union
      select id from payments.payments
       where org_id = ${org} and gateway_ref = any(${ids}::text[])
      union
      select payment_id from payments.webhook_events
       where org_id = ${org} and event_id = any(${ids}::text[])
    )
    select p.id, p.amount::text as amount, p.currency, p.status, p.external_payment_id,
           p.gateway_ref, p.created_at,
           array(select jsonb_build_object('id', t.id, 'type', t.type, 'status', t.status,
                                           'ref', t.gateway_ref, 'at', t.updated_at)
                   from payments.transactions as t where t.payment_id = p.id
                  order by t.id limit 20) as moves,
           array(select jsonb_build_object('id', e.event_id, 'type', e.type, 'at', e.received_at)
                   from payments.webhook_events as e where e.payment_id = p.id
                  order by e.received_at limit 20) as told
      from found join payments.payments as p on p.id = found.id
     order by p.id desc
     limit ${limit}`)
  const clock = rows.length === 0 ? [] : await listClockMoves(db)
  const at = (time: string) => realTimeOf(new Date(time), clock)
  return rows.map((row) => {
    return {
      ...paymentThing(row),
      detail: row.status,
      ids: [
        ...[row.external_payment_id, row.gateway_ref],
        ...row.moves.map(({ ref }) => ref),
        ...row.told.map(({ id }) => id),
        ...ANNOUNCED.map((status) => `evt_${status}_${row.id}`),
        ...row.moves.filter(({ type }) => type === 'refund').map(({ id }) => `evt_failed_${id}`),
      ],
      events: [
        { at: madeAt(row.id, row.created_at), what: 'Payment created' },
        ...row.moves.map((move) => ({
          at: at(move.at),
          what: `${capitalised(move.type)} ${move.status}`,
        })),
        ...row.told.map((event) => ({ at: at(event.at), what: `Gateway says ${event.type}` })),
      ],
    }
  })
}

function capitalised(word: string): string {
  return `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`
}

interface FollowedDelivery extends DeliveryRow {
  readonly payment_id: string | null
  readonly gateway_ref: string | null
  readonly created_at: Date
  readonly delivered_at: Date | null
}

/** Webhook deliveries by their id or their event's; what they tell of leads on. */
export async function followDeliveries(db: Queryable, followed: Followed): Promise<Stop[]> {
  const { org, ids, limit } = followed
  const rows = await all<FollowedDelivery>(db)(sql`
    with found as (
      select id from payments.webhook_deliveries
       where org_id = ${org} and id = any(${uuidsIn(ids)}::uuid[])
      union
      select id from payments.webhook_deliveries
       where org_id = ${org} and event_id = any(${ids}::text[])
    )
    select d.id, d.event_id, d.event_type, d.status, d.created_at, d.delivered_at,
           d.payload #>> '{data,paymentId}' as payment_id,
           d.payload #>> '{data,gatewayRef}' as gateway_ref
      from found join payments.webhook_deliveries as d on d.id = found.id
     order by d.id desc
     limit ${limit}`)
  return rows.map((row) => ({
    ...deliveryThing(row),
    detail: row.status,
    outbox: 'payments.webhook-deliveries',
    ids: [row.event_id, row.payment_id, row.gateway_ref],
    events: [
      { at: madeAt(row.id, row.created_at), what: `Webhook ${row.event_type} written` },
      { at: row.delivered_at, what: `Webhook ${row.event_type} delivered` },
    ],
  }))
}

interface FollowedLine extends LineRow {
  readonly booked_on: string
  readonly uploaded_at: Date
  readonly compared_at: Date | null
  readonly reason: string | null
  readonly payments: readonly string[]
}

/** Lines of bank statements by their key, `run/line`, or by the payments that they were matched with. */
export async function followLines(db: Queryable, followed: Followed): Promise<Stop[]> {
  const { org, ids, limit } = followed
  const uuids = uuidsIn(ids)
  const keys = ids.map(keyOfLine).filter((key) => key !== undefined)
  const rows = await all<FollowedLine>(db)(sql`
    with found as (
      select run_id, line_number
        from unnest(${keys.map(({ run }) => run)}::uuid[], ${keys.map(({ line }) => line)}::int[])
          as own (run_id, line_number)
      union
      ${linesOf(uuids)}
      union
      select f.run_id, f.line_number
        from payments.reversals as x
        join payments.reconciliation_reversals as f on f.id = x.id
       where x.payment_id = any(${uuids}::uuid[])
    )
    select r.run_id, r.line_number, run.filename, r.amount::text as amount, r.currency, r.status,
           r.booked_on::text as booked_on, run.created_at as uploaded_at,
           d.created_at as compared_at, d.reason,
           array(select r.matched_payment_id where r.matched_payment_id is not null
                  union
                 select k.payment_id from payments.reconciliation_links as k
                  where k.run_id = r.run_id and k.line_number = r.line_number
                  union
                 select x.payment_id
                   from payments.reconciliation_reversals as f
                   join payments.reversals as x on x.id = f.id
                  where f.run_id = r.run_id and f.line_number = r.line_number)::text[] as payments
      from found
      join payments.reconciliation_runs as run on run.id = found.run_id and run.org_id = ${org}
      join payments.reconciliation_records as r
        on r.run_id = found.run_id and r.line_number = found.line_number
      left join payments.reconciliation_reasons as d
        on d.run_id = r.run_id and d.line_number = r.line_number
     order by r.run_id desc, r.line_number
     limit ${limit}`)
  const clock = rows.length === 0 ? [] : await listClockMoves(db)
  return rows.map((row) => {
    const { line_number: line, filename, reason, compared_at: compared } = row
    return {
      ...lineThing(row),
      detail: `${row.status}, booked ${row.booked_on}`,
      ids: row.payments,
      shared: row.payments.length > 1,
      events: [
        { at: madeAt(row.run_id, row.uploaded_at), what: `Line ${line} of ${filename} uploaded` },
        {
          at: compared && realTimeOf(compared, clock),
          what: `Line ${line} of ${filename} is ${(reason ?? row.status).replaceAll('_', ' ')}`,
        },
      ],
    }
  })
}
