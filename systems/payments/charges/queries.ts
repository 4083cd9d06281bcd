import { sql, type Queryable, type Transaction } from '@posthorn/engine'
import type { KeyClaim } from '@posthorn/engine/inbox'
import type { GatewayError } from '../../gateway.ts'
import type {
  GatewayTransaction,
  KeptTransaction,
  NewPayment,
  Payment,
  PaymentStatus,
} from './payment.ts'

/** Which payment, and whose: another organisation's is not found. */
export interface PaymentKey {
  readonly id: string
  readonly orgId: string
}

/** A key that nobody has used, as it is first written. */
export interface FreshKey {
  readonly claim: KeyClaim
  readonly fingerprint: string
}

/**
 * The key, the payment, its charge and its first audit entry, in one statement; false, and nothing,
 * if the key is there. Beside `claimKey` and three inserts this takes less than half of the
 * database's time, and nearly every payment has a new key.
 */
export async function insertPayment(
  tx: Transaction,
  { claim, fingerprint }: FreshKey,
  { ids, payment }: { readonly ids: PaymentIds; readonly payment: NewPayment },
): Promise<boolean> {
  const { lockMs, expiresMs } = claim.store
  const { externalPaymentId = null, description = null, metadata } = payment
  const { rows } = await tx.query(sql`
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
             (id, org_id, user_id, amount, currency, external_payment_id, description, metadata)
      select ${ids.id}::uuid, ${ids.orgId}::text, ${ids.userId}::text, ${payment.amount}::bigint,
             ${payment.currency}::text, ${externalPaymentId}::text, ${description}::text,
             ${metadata === undefined ? null : JSON.stringify(metadata)}::jsonb
        from key
      returning id, org_id, user_id, amount, currency
    ), charge as (
      insert into payments.transactions (id, payment_id, type, amount, currency, gateway_key)
      select ${ids.transactionId}::uuid, id, 'charge', amount, currency, ${ids.gatewayKey}::text
        from payment
    )
    select payments.create_audit_log(
             org_id, user_id, 'payment.created', 'payment', id::text,
             jsonb_build_object('amount', amount, 'currency', currency))
      from payment`)
  return rows.length > 0
}

export interface PaymentIds {
  readonly id: string
  readonly orgId: string
  readonly userId: string
  readonly transactionId: string
  readonly gatewayKey: string
}

export async function insertRefund(
  tx: Transaction,
  ids: { paymentId: string; transactionId: string; gatewayKey: string; by: string },
): Promise<void> {
  await tx.query(sql`
    with refund as (
      insert into payments.transactions (id, payment_id, type, amount, currency, gateway_key)
      select ${ids.transactionId}::uuid, id, 'refund', amount, currency, ${ids.gatewayKey}
        from payments.payments
       where id = ${ids.paymentId}
    )
    select payments.create_audit_log(
             org_id, ${ids.by}, 'payment.refund_requested', 'payment', id::text,
             jsonb_build_object('refundId', ${ids.transactionId}::text))
      from payments.payments
     where id = ${ids.paymentId}`)
}

export async function findPayment(
  db: Queryable,
  { id, orgId }: PaymentKey,
): Promise<Payment | undefined> {
  const { rows } = await db.query<Payment>(sql`
    select * from payments.payments where id = ${id} and org_id = ${orgId}`)
  return rows[0]
}

/** Locked until the end: no two moves of one payment at once. `orgId` left out: whosoever it is. */
export async function lockPayment(
  tx: Transaction,
  { id, orgId }: { readonly id: string; readonly orgId?: string },
): Promise<Payment | undefined> {
  const { rows } = await tx.query<Payment>(sql`
    select *
      from payments.payments
     where id = ${id} and (${orgId ?? null}::text is null or org_id = ${orgId ?? null})
       for update`)
  return rows[0]
}

export interface PaymentPage {
  readonly orgId: string
  readonly status: PaymentStatus | undefined
  /** Older than this one. */
  readonly before: string | undefined
  readonly limit: number
}

export async function selectPayments(
  db: Queryable,
  { orgId, status, before, limit }: PaymentPage,
): Promise<Payment[]> {
  const { rows } = await db.query<Payment>(sql`
    select *
      from payments.payments
     where org_id = ${orgId}
       and (${status ?? null}::text is null or status = ${status ?? null})
       and (${before ?? null}::uuid is null or id < ${before ?? null}::uuid)
     order by id desc
     limit ${limit}`)
  return rows
}

/** The refund of a payment that is under way or done. */
export async function findRefund(
  db: Queryable,
  paymentId: string,
): Promise<GatewayTransaction | undefined> {
  const { rows } = await db.query<GatewayTransaction>(sql`
    select *
      from payments.transactions
     where payment_id = ${paymentId} and type = 'refund' and status <> 'failed'`)
  return rows[0]
}

/** Everything that the gateway was asked to do for a payment, oldest first. */
export async function selectTransactions(
  db: Queryable,
  paymentId: string,
): Promise<KeptTransaction[]> {
  const { rows } = await db.query<KeptTransaction>(sql`
    select * from payments.transactions where payment_id = ${paymentId} order by id`)
  return rows
}

/** A transaction with what the gateway has to know of its payment. */
export interface TransactionOfPayment extends GatewayTransaction {
  readonly org_id: string
  readonly charge_ref: string | null
}

export async function findTransaction(
  db: Queryable,
  id: string,
): Promise<TransactionOfPayment | undefined> {
  const { rows } = await db.query<TransactionOfPayment>(sql`
    select t.*, p.org_id, p.gateway_ref as charge_ref
      from payments.transactions as t
      join payments.payments as p on p.id = t.payment_id
     where t.id = ${id}`)
  return rows[0]
}

/** A transaction that is about to end, and who ends it. */
export interface Settlement {
  readonly transactionId: string
  readonly paymentId: string
  readonly by: string
}

/** The money is taken. The payment stays as it is: it succeeds when the gateway's webhook says so. */
export async function settleCharged(
  tx: Transaction,
  { transactionId, paymentId, by }: Settlement,
  ref: string,
): Promise<Payment> {
  const { rows } = await tx.query<Payment>(sql`
    with charge as (
      update payments.transactions
         set status = 'succeeded', gateway_ref = ${ref}, updated_at = posthorn.now()
       where id = ${transactionId}
    ), payment as (
      update payments.payments set gateway_ref = ${ref} where id = ${paymentId} returning *
    )
    select payment.*,
           payments.create_audit_log(org_id, ${by}, 'payment.charged', 'payment', id::text,
                                     jsonb_build_object('gatewayRef', ${ref}::text))
      from payment`)
  return rows[0] as Payment
}

/** The money is not taken. A webhook may have said so first: then the payment has failed already. */
export async function settleNotCharged(
  tx: Transaction,
  { transactionId, paymentId, by }: Settlement,
  failure: GatewayError & { readonly ref?: string | undefined },
): Promise<Payment> {
  const { rows } = await tx.query<Payment>(sql`
    with charge as (
      update payments.transactions
         set status = 'failed', gateway_ref = ${failure.ref ?? null}, error_code = ${failure.code},
             error_message = ${failure.message}, updated_at = posthorn.now()
       where id = ${transactionId}
    ), payment as (
      update payments.payments
         set status = case when status = 'pending' then 'failed' else status end,
             gateway_ref = ${failure.ref ?? null}, error_code = ${failure.code},
             error_message = ${failure.message}
       where id = ${paymentId}
      returning *
    )
    select payment.*,
           payments.create_audit_log(
             org_id, ${by}, 'gateway_error', 'payment', id::text,
             jsonb_build_object('code', ${failure.code}::text, 'message', ${failure.message}::text,
                                'retryable', false))
      from payment`)
  return rows[0] as Payment
}

export async function settleRefunded(
  tx: Transaction,
  { transactionId, by }: Settlement,
  ref: string,
): Promise<GatewayTransaction> {
  const { rows } = await tx.query<GatewayTransaction>(sql`
    with refund as (
      update payments.transactions
         set status = 'succeeded', gateway_ref = ${ref}, updated_at = posthorn.now()
       where id = ${transactionId}
      returning *
    )
    select refund.*,
           payments.create_audit_log(
             payment.org_id, ${by}, 'payment.refund_accepted', 'payment', payment.id::text,
             jsonb_build_object('refundId', refund.id, 'gatewayRef', ${ref}::text))
      from refund
      join payments.payments as payment on payment.id = refund.payment_id`)
  return rows[0] as GatewayTransaction
}

export async function settleNotRefunded(
  tx: Transaction,
  { transactionId, by }: Settlement,
  { code, message }: GatewayError,
): Promise<void> {
  await tx.query(sql`
    with refund as (
      update payments.transactions
         set status = 'failed', error_code = ${code}, error_message = ${message},
             updated_at = posthorn.now()
       where id = ${transactionId}
      returning *
    )
    select payments.create_audit_log(
             payment.org_id, ${by}, 'gateway_error', 'payment', payment.id::text,
             jsonb_build_object('refundId', refund.id, 'code', ${code}::text,
                                'message', ${message}::text, 'retryable', false))
      from refund
      join payments.payments as payment on payment.id = refund.payment_id`)
}

export interface AuditEntry {
  readonly orgId: string | null
  readonly actor: string
  readonly action: string
  readonly entity: string
  readonly entityId: string
  readonly details: Readonly<Record<string, unknown>>
}

export async function createAuditLog(tx: Transaction, entry: AuditEntry): Promise<void> {
  await tx.query(sql`
    select payments.create_audit_log(
             ${entry.orgId}, ${entry.actor}, ${entry.action}, ${entry.entity}, ${entry.entityId},
             ${JSON.stringify(entry.details)}::jsonb)`)
}

/** A row of `payments.audit_log`. */
export interface AuditRow {
  readonly seq: string
  readonly actor: string
  readonly action: string
  readonly details: Readonly<Record<string, unknown>>
  readonly created_at: Date
}

export async function selectAudit(
  db: Queryable,
  page: { orgId: string; paymentId: string; before: string | undefined; limit: number },
): Promise<AuditRow[]> {
  const { rows } = await db.query<AuditRow>(sql`
    select seq, actor, action, details, created_at
      from payments.audit_log
     where entity_type = 'payment' and entity_id = ${page.paymentId} and org_id = ${page.orgId}
       and (${page.before ?? null}::bigint is null or seq < ${page.before ?? null}::bigint)
     order by seq desc
     limit ${page.limit}`)
  return rows
}
