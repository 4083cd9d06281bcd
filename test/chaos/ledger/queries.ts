import { sql, type Outbox, type Queryable } from '@posthorn/engine'

/** Rows of an outbox that have not come to an end. */
export async function countUnfinished(db: Queryable, outbox: Outbox): Promise<number> {
  const { name, table, log, states, columns } = outbox
  const open = [states.ready, states.claimed, states.retry, states.failing]
  const words = [...new Set(open.filter((state) => state !== undefined))].map(literal)
  const standing = states.dead === undefined ? 'and quarantined_at is null' : ''
  const kept = `select from ${table} where ${columns.status} in (${words.join()}) ${standing}`
  if (log === undefined) return countRows(db, kept)
  const logged = `
select from ${log} as m
  left join posthorn.bucket as b on b.outbox = '${name}' and b.bucket = m.bucket
 where not coalesce(posthorn.log_gone(b, m.xid, m.seq), false)`
  return (await countRows(db, kept)) + (await countRows(db, logged))
}

/** Claims and leases of a relay that nobody holds any more. */
export async function countClaims(db: Queryable, { name, table, order }: Outbox): Promise<number> {
  const statement = order
    ? `select from posthorn.bucket
        where outbox = '${name}' and (token is not null or run_size is not null)`
    : `select from ${table} where claim_token is not null`
  return countRows(db, statement)
}

/** Leases on buckets by the relays that left them over, for a look. */
export async function selectLeftLeases(db: Queryable): Promise<Record<string, unknown>[]> {
  const { rows } = await db.query(sql`
    select outbox, relay, array_agg(bucket order by bucket) as buckets, run_size is not null as in_flight,
           now() as at, min(until) as until
      from posthorn.bucket
     where token is not null
     group by outbox, relay, token, run_size is not null`)
  return rows
}

/**
 * Leases that no relay renews, and that no other has taken over yet: of relays that are gone, or of claims
 * that could not be settled. Those in use are renewed in the first third of their time.
 */
export async function countAbandoned(db: Queryable, outboxes: readonly Outbox[]): Promise<number> {
  const { rows } = await db.query<{ count: number }>(sql`
    select count(*)::int as count
      from posthorn.bucket as b
      join unnest(${outboxes.map(({ name }) => name)}::text[],
                  ${outboxes.map(({ leaseMs }) => leaseMs)}::bigint[]) as o (name, lease_ms)
        on o.name = b.outbox
     where b.token is not null and b.until < now() + o.lease_ms * interval '0.5 ms'`)
  return rows[0]?.count ?? 0
}

/** Messages whose last transition is not what their row says. */
export async function countUnrecorded(db: Queryable, outbox: Outbox): Promise<number> {
  const { name, table, columns } = outbox
  return countRows(
    db,
    `select from ${table} as m
       left join lateral (
         select to_state from posthorn.transition as t
          where t.outbox = '${name}' and t.message_id = m.${columns.id}::text
          order by t.id desc limit 1) as last on true
      where last.to_state is distinct from m.${columns.status}::text`,
  )
}

/** Transitions that do not begin where the one before of their message ended. */
export async function countGaps(db: Queryable, { name }: Outbox): Promise<number> {
  return countRows(
    db,
    `select from (
       select from_state, lag(to_state) over (partition by message_id order by id) as before
         from posthorn.transition where outbox = '${name}') as t
      where before is not null and from_state is distinct from before`,
  )
}

/** How messages of an outbox went from one state to another. */
export interface MoveRow {
  /** Null where the outbox notes that a message came into being. */
  readonly from: string | null
  readonly to: string | null
  /** Whether it was the first of its message. */
  readonly isFirst: boolean
  readonly count: number
}

export async function selectMoves(db: Queryable, { name }: Outbox): Promise<MoveRow[]> {
  const { rows } = await db.query<MoveRow>(sql`
    select from_state as "from", to_state as "to", is_first as "isFirst", count(*)::int as count
      from (select from_state, to_state,
                   row_number() over (partition by message_id order by id) = 1 as is_first
              from posthorn.transition where outbox = ${name}) as t
     group by 1, 2, 3
     order by 1, 2, 3`)
  return rows
}

/** Messages that were set aside, in an outbox whose policy never gives up. */
export async function countSetAsideForGood(
  db: Queryable,
  { table, states }: Outbox,
): Promise<number> {
  if (states.dead !== undefined) return 0
  return countRows(db, `select from ${table} where quarantined_at is not null`)
}

/** The ids of dead messages, but those whose key begins so. */
export async function selectDead(
  db: Queryable,
  { table, columns, states }: Outbox,
  except?: string,
): Promise<string[]> {
  if (states.dead === undefined) return []
  const spared = except === undefined ? '' : `and key not like '${except}%'`
  const { rows } = await db.query<{ id: string }>({
    text: `select ${columns.id}::text as id from ${table}
            where ${columns.status} = ${literal(states.dead)} ${spared}`,
    values: [],
  })
  return rows.map(({ id }) => id)
}

export async function countHeldKeys(db: Queryable): Promise<number> {
  return countRows(db, 'select from posthorn.held_key')
}

/** What consumers have set aside and not ended. */
export async function countSetAside(db: Queryable): Promise<number> {
  return countRows(db, `select from posthorn.consumer_message where state <> 'dead'`)
}

export async function countDeadLetters(db: Queryable): Promise<number> {
  return countRows(db, `select from posthorn.consumer_message where state = 'dead'`)
}

export async function countForgottenTransactions(db: Queryable): Promise<number> {
  return countRows(
    db,
    `select from pg_stat_activity
      where state like 'idle in transaction%' and datname = current_database()
        and state_change < now() - interval '5 s'`,
  )
}

/** Alerts by their codes. */
export async function selectAlertCodes(db: Queryable): Promise<Record<string, number>> {
  const { rows } = await db.query<{ code: string; count: number }>(sql`
    select code, count(*)::int as count from posthorn.alert group by code order by code`)
  return Object.fromEntries(rows.map(({ code, count }) => [code, count]))
}

export interface PaymentSums {
  readonly payments: number
  readonly pending: number
  readonly taken: number
  readonly refunded: number
  readonly openKeys: number
}

export async function selectPaymentSums(db: Queryable): Promise<PaymentSums> {
  const { rows } = await db.query<PaymentSums>(sql`
    select count(*)::int as payments,
           count(*) filter (where status = 'pending')::int as pending,
           (select coalesce(sum(taken), 0)::float8 from payments.ledger) as taken,
           (select coalesce(sum(refunded), 0)::float8 from payments.ledger) as refunded,
           (select count(*)::int from payments.idempotency_keys where locked) as "openKeys"
      from payments.payments`)
  return rows[0] as PaymentSums
}

/** What the gateway's charges are for: ids of payments, and keys of orders' payments. */
export async function selectReferences(
  db: Queryable,
): Promise<{ payments: Set<string>; orders: Set<string> }> {
  const { rows } = await db.query<{ id: string; kind: string }>(sql`
    select id::text as id, 'payment' as kind from payments.payments
    union all select gateway_key, 'order' from sagas.payment`)
  const ids = (kind: string) => new Set(rows.filter((r) => r.kind === kind).map((r) => r.id))
  return { payments: ids('payment'), orders: ids('order') }
}

export interface DeliveryRow {
  readonly id: string
  readonly endpoint: string
  readonly status: string
  readonly key: string | null
  readonly position: number
}

export async function selectDeliveries(db: Queryable): Promise<DeliveryRow[]> {
  const { rows } = await db.query<DeliveryRow>(sql`
    select d.id, e.url as endpoint, d.status, d.order_key as key, d.position::int as position
      from payments.webhook_deliveries as d
      join payments.webhook_endpoints as e on e.id = d.endpoint_id`)
  return rows
}

export interface MessageRow {
  readonly id: string
  readonly status: string
  readonly attempts: number
  readonly trying: number
}

export async function selectMessages(db: Queryable): Promise<MessageRow[]> {
  const { rows } = await db.query<MessageRow>(sql`
    select m.id, m.status, count(a.id)::int as attempts,
           count(a.id) filter (where a.status = 'TRYING')::int as trying
      from messages.outbound_message as m
      left join messages.outbound_attempt as a on a.outbound_message_id = m.id
     group by m.id`)
  return rows
}

export interface OrderSums {
  readonly orders: number
  readonly running: number
  readonly failed: number
  readonly completed: number
  readonly compensated: number
  /** Orders whose parts do not fit the end of their saga. */
  readonly torn: number
  /** Complete, and their goods are reserved as if they had not left. */
  readonly unshipped: number
  /** Skus whose reserved count is not what the reservations say. */
  readonly miscounted: number
  readonly openKeys: number
}

export async function selectOrderSums(db: Queryable): Promise<OrderSums> {
  const { rows } = await db.query<OrderSums>(sql`
    with ended as (
      select s.status, r.status as stock, p.status as payment, h.status as shipment
        from sagas.orders as o
        join sagas.saga as s on s.id = o.saga_id
        left join sagas.stock_reservation as r on r.order_id = o.id
        left join sagas.payment as p on p.order_id = o.id
        left join sagas.shipment as h on h.order_id = o.id
    ),
    reserved as (
      select r.org_id, i.item ->> 'sku' as sku, sum((i.item ->> 'quantity')::bigint) as quantity
        from sagas.stock_reservation as r
        cross join lateral jsonb_array_elements(r.items) as i (item)
       where r.status = 'RESERVED'
       group by 1, 2
    )
    select count(*)::int as orders,
           count(*) filter (where status in ('RUNNING', 'COMPENSATING'))::int as running,
           count(*) filter (where status = 'FAILED')::int as failed,
           count(*) filter (where status = 'COMPLETED')::int as completed,
           count(*) filter (where status = 'COMPENSATED')::int as compensated,
           count(*) filter (where case status
             when 'COMPLETED' then (payment, shipment) is distinct from ('CHARGED', 'BOOKED')
                                   or stock is distinct from 'SHIPPED' and stock is distinct from 'RESERVED'
             when 'COMPENSATED' then stock in ('RESERVED', 'SHIPPED') or payment in ('CHARGED', 'CHARGING')
                                     or shipment = 'BOOKED'
           end)::int as torn,
           count(*) filter (where status = 'COMPLETED' and stock = 'RESERVED')::int as unshipped,
           (select count(*)::int from sagas.stock as s
              left join reserved as r using (org_id, sku)
             where s.reserved <> coalesce(r.quantity, 0)) as miscounted,
           (select count(*)::int from sagas.idempotency_keys where locked) as "openKeys"
      from ended`)
  return rows[0] as OrderSums
}

export async function selectFailedSagas(db: Queryable): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(sql`
    select id from sagas.saga where status = 'FAILED'`)
  return rows.map(({ id }) => id)
}

/** What the gateway took and gave back for orders, as the sagas know it. */
export async function selectOrderMoney(
  db: Queryable,
): Promise<{ charged: number; refunded: number }> {
  const { rows } = await db.query<{ charged: number; refunded: number }>(sql`
    select coalesce(sum(amount) filter (where gateway_ref is not null), 0)::float8 as charged,
           coalesce(sum(amount) filter (where refund_ref is not null), 0)::float8 as refunded
      from sagas.payment`)
  return rows[0] ?? { charged: 0, refunded: 0 }
}

export interface FamilyEvent {
  readonly id: string
  readonly key: string
  readonly n: number
  readonly type: string
}

export async function selectFamilyEvents(db: Queryable): Promise<FamilyEvent[]> {
  const { rows } = await db.query<FamilyEvent>(sql`
    select event_id as id, aggregate_id as key, seq::int as n, event_type as type
      from families.outbox_events order by seq`)
  return rows
}

export interface Guest {
  readonly email: string
  /** The mail server has refused the letter for good, and an alert says so. */
  readonly isRefused: boolean
}

/** Guests whose invitation stands. */
export async function selectInvited(db: Queryable): Promise<Guest[]> {
  const { rows } = await db.query<Guest>(sql`
    select i.email, exists (
             select from posthorn.alert as a
              where a.source = 'families.invitation-mails' and a.code = 'MAIL_REFUSED'
                and a.subject = i.id::text) as "isRefused"
      from families.family_member_invitations as i`)
  return rows
}

export interface EvidenceSums {
  readonly jobs: number
  readonly open: number
  readonly rejected: number
  readonly rows: number
  readonly attached: number
  readonly failed: number
  /** Jobs whose counters are not what their rows say. */
  readonly miscounted: number
  /** Rows whose audit does not end where they are. */
  readonly unrecorded: number
}

export async function selectEvidenceSums(db: Queryable): Promise<EvidenceSums> {
  const { rows } = await db.query<EvidenceSums>(sql`
    with counted as (
      select file_job_id, count(*) as total,
             count(*) filter (where status = 'SUCCESS') as success,
             count(*) filter (where status = 'ERROR') as error
        from evidence.file_outbox_row group by 1
    )
    select (select count(*)::int from evidence.file_job) as jobs,
           (select count(*)::int from evidence.file_job where completed_at is null) as open,
           (select count(*)::int from evidence.file_job where status = 'REJECTED') as rejected,
           coalesce(sum(total), 0)::int as rows,
           coalesce(sum(success), 0)::int as attached,
           coalesce(sum(error), 0)::int as failed,
           (select count(*)::int from evidence.file_job as j
              left join counted as c on c.file_job_id = j.id
             where j.status <> 'REJECTED'
               and (j.total_rows, j.success_count, j.error_count)
                   is distinct from (coalesce(c.total, 0), coalesce(c.success, 0),
                                     coalesce(c.error, 0))) as miscounted,
           (select count(*)::int from evidence.file_outbox_row as r
              left join lateral (
                select new_status from evidence.file_outbox_row_audit as a
                 where a.file_outbox_row_id = r.id order by a.id desc limit 1) as last on true
             where last.new_status is distinct from r.status) as unrecorded
      from counted`)
  return rows[0] as EvidenceSums
}

export async function selectCases(db: Queryable): Promise<{ caseId: string; status: string }[]> {
  const { rows } = await db.query<{ caseId: string; status: string }>(sql`
    select case_id as "caseId", status from evidence.file_outbox_row`)
  return rows
}

async function countRows(db: Queryable, statement: string): Promise<number> {
  const { rows } = await db.query<{ count: number }>({
    text: `select count(*)::int as count from (${statement}) as counted`,
    values: [],
  })
  return rows[0]?.count ?? 0
}

function literal(state: string | number): string {
  return typeof state === 'number' ? String(state) : `'${state}'`
}
