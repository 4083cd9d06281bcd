import { sql, uuid, type Queryable, type Transaction } from '@posthorn/engine'
import { all, directionOf, first, one, some } from '@posthorn/system'
import type { KeyClaim } from '@posthorn/engine/inbox'
import type { Static } from 'typebox'
import type { DisputeChange } from './inbound/parts.ts'
import type {
  Dispute,
  GatewayTransaction,
  NewPayment,
  Payment,
  PaymentQuery,
  PaymentWithSums,
  Refund,
  TransactionType,
} from './payment.ts'

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
  const { externalPaymentId, description, metadata, paymentMethod, capture = 'automatic' } = payment
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
             ${metadata && JSON.stringify(metadata)}::jsonb,
             ${paymentMethod}::text, ${capture}::text
        from key
      returning id, org_id, user_id, amount, currency
    ), charge as (
      insert into payments.transactions
             (id, payment_id, type, amount, currency, gateway_key, follow_up, lookup_at)
      select ${ids.transactionId}::uuid, id, ${ids.type}::text, amount, currency,
             ${ids.gatewayKey}::text, 'open',
             posthorn.now() + ${lockMs}::float8 * interval '1 millisecond'
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

/** A refund, a capture or a void that is about to be asked for. */
export interface NewMove {
  readonly paymentId: string
  readonly transactionId: string
  readonly gatewayKey: string
  readonly type: TransactionType
  /** In minor units: what is given back, taken, or set free. */
  readonly amount: number
  readonly by: string
  /** How long its request has for itself. */
  readonly lockMs: number
}

/** False while another capture or void is under way, or was done. */
export const insertMove = (tx: Transaction, { transactionId, type, amount, ...move }: NewMove) =>
  some(tx)(sql`
    with move as (
      insert into payments.transactions
             (id, payment_id, type, amount, currency, gateway_key, follow_up, lookup_at)
      select ${transactionId}::uuid, id, ${type}, ${amount}::bigint, currency, ${move.gatewayKey},
             'open', posthorn.now() + ${move.lockMs}::float8 * interval '1 millisecond'
        from payments.payments
       where id = ${move.paymentId}
      on conflict (payment_id) where type in ('capture', 'void') and status <> 'failed' do nothing
      returning *
    )
    select payments.create_audit_log(
             p.org_id, ${move.by}, ${`payment.${type}_requested`}, 'payment', p.id::text,
             jsonb_build_object('amount', move.amount)
             || case move.type when 'refund' then jsonb_build_object('refundId', move.id)
                else '{}'::jsonb end)
      from move
      join payments.payments as p on p.id = move.payment_id`)

/** The gateway is asked about a transaction no earlier than this. */
export const planFollowUp = (tx: Transaction, id: string, afterMs: number) =>
  tx.query(sql`
    update payments.transactions
       set lookup_at = posthorn.now() + ${afterMs}::float8 * interval '1 millisecond'
     where id = ${id}`)

/** A payment `p` with what became of its money by its ledger `l`. */
const WITH_SUMS = sql`
  p.*, l.refunded as refunded_amount, l.disputed as disputed_amount, l.net as net_amount,
  (select d.status
     from payments.disputes as d
    where d.payment_id = p.id
    order by d.closed_at is null desc, d.opened_at desc
    limit 1) as dispute_status`

export const findPayment = (db: Queryable, { id, orgId }: PaymentKey) =>
  first<PaymentWithSums>(db)(sql`
    select ${WITH_SUMS}
      from payments.payments as p
      join payments.ledger as l on l.payment_id = p.id
     where p.id = ${id} and p.org_id = ${orgId}`)

/** Sets fields of a payment's metadata, and removes those that are null. Says how large it is then. */
export function changeMetadata(
  tx: Transaction,
  { id, orgId }: PaymentKey,
  fields: Readonly<Record<string, unknown>>,
): Promise<{ readonly bytes: number }> {
  const removed = Object.keys(fields).filter((name) => fields[name] === null)
  return one<{ readonly bytes: number }>(tx)(sql`
    update payments.payments
       set metadata = (coalesce(metadata, '{}'::jsonb) || ${JSON.stringify(fields)}::jsonb)
                      - ${removed}::text[]
     where id = ${id} and org_id = ${orgId}
    returning octet_length(metadata::text) as bytes`)
}

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
     where id = ${id} and (${orgId}::text is null or org_id = ${orgId})
       for no key update`)

/** By the gateway's reference, of any organisation; none if several have it. */
export async function lockPaymentByRef(tx: Transaction, ref: string): Promise<Payment | undefined> {
  const { rows } = await tx.query<Payment>(sql`
    select * from payments.payments where gateway_ref = ${ref} limit 2 for no key update`)
  return rows.length === 1 ? rows[0] : undefined
}

export type PaymentPage = Static<typeof PaymentQuery> & {
  readonly orgId: string
  /** Behind this one, in the order of `sort`. */
  readonly before: PaymentPlace | null
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
         and (${page.amount}::bigint is null or amount = ${page.amount}::bigint)
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
    select ${WITH_SUMS}
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

/** The disputes of a payment, oldest first. */
export const selectDisputes = (db: Queryable, paymentId: string) =>
  all<Dispute>(db)(sql`
    select * from payments.disputes where payment_id = ${paymentId} order by opened_at, id`)

/** What of a payment's money banks claim or have taken back, and what is left of it, in minor units. */
export const readNet = (db: Queryable, paymentId: string) =>
  one<{ disputed: number; net: number }>(db)(sql`
    select disputed::float8, net::float8 from payments.ledger where payment_id = ${paymentId}`)

/**
 * Opens a dispute or continues it. A reason and a date that are there stay, unless an inquiry has
 * become a dispute, which has its own.
 */
export const saveDispute = (
  tx: Transaction,
  { id: paymentId, org_id: orgId }: Pick<Payment, 'id' | 'org_id'>,
  { ref, status, amount, currency, reason, evidenceDueAt }: DisputeChange,
) =>
  one<Dispute>(tx)(sql`
    insert into payments.disputes as d
           (id, payment_id, org_id, gateway_ref, status, amount, currency, reason, evidence_due_at,
            closed_at)
    values (${uuid()}, ${paymentId}, ${orgId}, ${ref}, ${status}, ${amount}, ${currency}, ${reason},
            ${evidenceDueAt},
            case when ${status}::text not in ('inquiry', 'opened') then posthorn.now() end)
    on conflict (payment_id, gateway_ref) do update
       set status = excluded.status,
           reason = case when d.status = 'inquiry' then coalesce(excluded.reason, d.reason)
                    else coalesce(d.reason, excluded.reason) end,
           evidence_due_at = case when d.status = 'inquiry'
                                  then coalesce(excluded.evidence_due_at, d.evidence_due_at)
                             else coalesce(d.evidence_due_at, excluded.evidence_due_at) end,
           closed_at = coalesce(d.closed_at, excluded.closed_at)
    returning *`)
