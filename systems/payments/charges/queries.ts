import { sql, type Queryable, type Transaction } from '@posthorn/engine'
import type { KeyClaim } from '@posthorn/engine/inbox'
import type {
  GatewayTransaction,
  KeptTransaction,
  NewPayment,
  Payment,
  PaymentStatus,
  Refund,
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
  ids: {
    paymentId: string
    transactionId: string
    gatewayKey: string
    by: string
    amount: number
  },
): Promise<void> {
  await tx.query(sql`
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
}

export async function findPayment(
  db: Queryable,
  { id, orgId }: PaymentKey,
): Promise<Payment | undefined> {
  const { rows } = await db.query<Payment>(sql`
    select * from payments.payments where id = ${id} and org_id = ${orgId}`)
  return rows[0]
}

/**
 * Locked until the end: no two moves of one payment at once. Not its key, which a reconciliation of a
 * million records holds for as long as it runs. `orgId` left out: of any organisation.
 */
export async function lockPayment(
  tx: Transaction,
  { id, orgId }: { readonly id: string; readonly orgId?: string },
): Promise<Payment | undefined> {
  const { rows } = await tx.query<Payment>(sql`
    select *
      from payments.payments
     where id = ${id} and (${orgId ?? null}::text is null or org_id = ${orgId ?? null})
       for no key update`)
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

/** What of a payment is given back or about to be, oldest first. */
export async function selectRefunds(db: Queryable, paymentId: string): Promise<Refund[]> {
  const { rows } = await db.query<Refund>(sql`
    select id, amount::float8 as amount, gateway_ref as ref,
           confirmed_at is not null as "isConfirmed"
      from payments.transactions
     where payment_id = ${paymentId} and type = 'refund' and status <> 'failed'
     order by id`)
  return rows
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
