import { directionOf, sql, type Queryable, type Transaction } from '@posthorn/engine'
import type { KeyClaim } from '@posthorn/engine/inbox'
import type { NewPayment, Payment, PaymentStatus, PaymentWithSums } from './payment.ts'
import type { GatewayTransaction, Refund } from './transaction.ts'
import { all, some, first } from '../rows.ts'

/** Which payment, and whose: another organisation's is not found. */
export interface PaymentKey {
  readonly id: string
  readonly orgId: string
}

/** A new key, as it is first written. */
export interface FreshKey {
  readonly claim: KeyClaim
  readonly fingerprint: string
}

/**
 * The key, the payment, its charge and its first audit entry, in one statement; false, and nothing,
 * if the key is there. Beside `claimKey` and three inserts this takes less than half of the
 * database's time, and nearly every payment has a new key.
 */
export function insertPayment(
  tx: Transaction,
  { claim, fingerprint }: FreshKey,
  { ids, payment }: { readonly ids: PaymentIds; readonly payment: NewPayment },
): Promise<boolean> {
  const { lockMs, expiresMs } = claim.store
  const { externalPaymentId = null, description = null, metadata, paymentMethod = null } = payment
  const { capture = 'automatic' } = payment
  return some(tx)(sql`
    with key as (
      insert into payments.idempotency_keys
             (scope, key, fingerprint, lock_token, locked_until, state, expires_at)
      values (${claim.scope}, ${claim.key}, ${fingerprint}, ${claim.token},
              clock_timestamp() + ${lockMs}::float8 * interval '1 millisecond',
              ${JSON.stringify(claim.state)}::jsonb,
              posthorn.now() + ${expiresMs}::float8 * interval '1 millisecond')
      on conflict (scope, key) do nothing
      returning 1
    ), payment as (
      insert into payments.payments
             (id, org_id, user_id, amount, currency, external_payment_id, description, metadata,
              payment_method, capture_method)
      select ${ids.id}::uuid, ${ids.orgId}::text, ${ids.userId}::text, ${payment.amount}::bigint,
             ${payment.currency}::text, ${externalPaymentId}::text, ${description}::text,
             ${metadata === undefined ? null : JSON.stringify(metadata)}::jsonb,
             ${paymentMethod}::text, ${capture}::text
        from key
      returning id, org_id, user_id, amount, currency
    ), charge as (
      insert into payments.transactions (id, payment_id, type, amount, currency, gateway_key)
      select ${ids.transactionId}::uuid, id, ${ids.type}::text, amount, currency,
             ${ids.gatewayKey}::text
        from payment
    )
    select payments.create_audit_log(
             org_id, user_id, 'payment.created', 'payment', id::text,
             jsonb_build_object('amount', amount, 'currency', currency)
             || case ${capture}::text when 'manual' then '{"capture": "manual"}'::jsonb
                else '{}'::jsonb end)
      from payment`)
}

export interface PaymentIds {
  readonly id: string
  readonly orgId: string
  readonly userId: string
  readonly transactionId: string
  readonly gatewayKey: string
  readonly type: 'charge' | 'authorisation'
}

export const insertRefund = (
  tx: Transaction,
  ids: {
    paymentId: string
    transactionId: string
    gatewayKey: string
    by: string
    amount: number
  },
) =>
  tx.query(sql`
    with refund as (
      insert into payments.transactions (id, payment_id, type, amount, currency, gateway_key)
      select ${ids.transactionId}::uuid, id, 'refund', ${ids.amount}::bigint, currency,
             ${ids.gatewayKey}
        from payments.payments
       where id = ${ids.paymentId}
    )
    select payments.create_audit_log(
             org_id, ${ids.by}, 'payment.refund_requested', 'payment', id::text,
             jsonb_build_object('refundId', ${ids.transactionId}::text,
                                'amount', ${ids.amount}::bigint))
      from payments.payments
     where id = ${ids.paymentId}`)

export const findPayment = (db: Queryable, { id, orgId }: PaymentKey) =>
  first<PaymentWithSums>(db)(sql`
    select p.*, l.refunded as refunded_amount, l.disputed as disputed_amount, l.net as net_amount,
           (select d.status
              from payments.disputes as d
             where d.payment_id = p.id
             order by d.status = 'opened' desc, d.opened_at desc
             limit 1) as dispute_status
      from payments.payments as p
      join payments.ledger as l on l.payment_id = p.id
     where p.id = ${id} and p.org_id = ${orgId}`)

/**
 * Locked until the end: no two moves of one payment at once. Not its key, which a reconciliation of a
 * million records holds for as long as it runs. `orgId` left out: of any organisation.
 */
export const lockPayment = (
  tx: Transaction,
  { id, orgId }: { readonly id: string; readonly orgId?: string },
) =>
  first<Payment>(tx)(sql`
    select *
      from payments.payments
     where id = ${id} and (${orgId ?? null}::text is null or org_id = ${orgId ?? null})
       for no key update`)

/** By the gateway's reference, of any organisation; none if several have it. */
export async function lockPaymentByRef(tx: Transaction, ref: string): Promise<Payment | undefined> {
  const { rows } = await tx.query<Payment>(sql`
    select * from payments.payments where gateway_ref = ${ref} limit 2 for no key update`)
  return rows.length === 1 ? rows[0] : undefined
}

/** What a search for payments asks for; null: anything. */
export interface PaymentFilter {
  readonly status: PaymentStatus | null
  readonly externalPaymentId: string | null
  readonly gatewayRef: string | null
  readonly currency: string | null
  /** In minor units, both included. */
  readonly amountFrom: number | null
  readonly amountTo: number | null
  /** From the first on, before the second. */
  readonly since: string | null
  readonly until: string | null
  /** Whether there was a dispute, open or not. */
  readonly disputed: boolean | null
}

export interface PaymentPage extends PaymentFilter {
  readonly orgId: string
  /** Behind this one, in the order of `sort`. */
  readonly before: PaymentPlace | null
  readonly sort: string
  readonly limit: number
}

/** Where a page ended: the amount only where that is the order. */
export type PaymentPlace = string | readonly [amount: number, id: string]

/** By id, which has its time in it, or by amount. Planned anew for each search: the filters that are there choose the index. */
export function selectPayments(db: Queryable, page: PaymentPage): Promise<PaymentWithSums[]> {
  const { beyond, order } = directionOf(page.sort)
  const [amount, id] =
    typeof page.before === 'string' ? [null, page.before] : (page.before ?? [null, null])
  const [behind, sorted] = /amount$/.test(page.sort)
    ? [
        sql`(amount, id) ${beyond} (${amount}::bigint, ${id}::uuid)`,
        sql`amount ${order}, id ${order}`,
      ]
    : [sql`id ${beyond} ${id}::uuid`, sql`id ${order}`]
  return all<PaymentWithSums>(db)(sql`
    with found as (
      select *
        from payments.payments
       where org_id = ${page.orgId}
         and (${page.status}::text is null or status = ${page.status})
         and (${page.externalPaymentId}::text is null
              or external_payment_id = ${page.externalPaymentId})
         and (${page.gatewayRef}::text is null or gateway_ref = ${page.gatewayRef})
         and (${page.currency}::text is null or currency = ${page.currency})
         and (${page.amountFrom}::bigint is null or amount >= ${page.amountFrom}::bigint)
         and (${page.amountTo}::bigint is null or amount <= ${page.amountTo}::bigint)
         and (${page.since}::timestamptz is null or created_at >= ${page.since}::timestamptz)
         and (${page.until}::timestamptz is null or created_at < ${page.until}::timestamptz)
         and (${page.disputed}::boolean is null
              or ${page.disputed} = (id in (select payment_id from payments.disputes
                                             where org_id = ${page.orgId})))
         and (${id}::uuid is null or ${behind})
       order by ${sorted}
       limit ${page.limit}
    )
    select p.*, l.refunded as refunded_amount, l.disputed as disputed_amount, l.net as net_amount,
           (select d.status
              from payments.disputes as d
             where d.payment_id = p.id
             order by d.status = 'opened' desc, d.opened_at desc
             limit 1) as dispute_status
      from found as p
      join payments.ledger as l on l.payment_id = p.id
     order by ${sorted}`)
}

/** The refunds of a payment, oldest first: those that were made, are under way, or failed. */
export const selectRefunds = (db: Queryable, paymentId: string) =>
  all<Refund>(db)(sql`
    select id, amount::float8 as amount, gateway_ref as ref,
           confirmed_at is not null as "isConfirmed", status = 'failed' as "isFailed"
      from payments.transactions
     where payment_id = ${paymentId} and type = 'refund'
     order by id`)

/** Everything that the gateway was asked to do for a payment, oldest first. */
export const selectTransactions = (db: Queryable, paymentId: string) =>
  all<GatewayTransaction>(db)(sql`
    select * from payments.transactions where payment_id = ${paymentId} order by id`)

/** A transaction with what the gateway has to know of its payment. */
export interface TransactionOfPayment extends GatewayTransaction {
  readonly org_id: string
  readonly charge_ref: string | null
  readonly payment_method: string | null
}

export const findTransaction = (db: Queryable, id: string) =>
  first<TransactionOfPayment>(db)(sql`
    select t.*, p.org_id, p.gateway_ref as charge_ref, p.payment_method
      from payments.transactions as t
      join payments.payments as p on p.id = t.payment_id
     where t.id = ${id}`)

export interface AuditEntry {
  readonly orgId: string | null
  readonly actor: string
  readonly action: string
  readonly entity: string
  readonly entityId: string
  readonly details: Readonly<Record<string, unknown>>
}

export const createAuditLog = (tx: Transaction, entry: AuditEntry) =>
  tx.query(sql`
    select payments.create_audit_log(
             ${entry.orgId}, ${entry.actor}, ${entry.action}, ${entry.entity}, ${entry.entityId},
             ${JSON.stringify(entry.details)}::jsonb)`)

/** A row of `payments.audit_log`. */
export interface AuditRow {
  readonly seq: string
  readonly actor: string
  readonly action: string
  readonly details: Readonly<Record<string, unknown>>
  readonly created_at: Date
}

export const selectAudit = (
  db: Queryable,
  page: { orgId: string; paymentId: string; before: string | undefined; limit: number },
) =>
  all<AuditRow>(db)(sql`
    select seq, actor, action, details, created_at
      from payments.audit_log
     where entity_type = 'payment' and entity_id = ${page.paymentId} and org_id = ${page.orgId}
       and (${page.before ?? null}::bigint is null or seq < ${page.before ?? null}::bigint)
     order by seq desc
     limit ${page.limit}`)
