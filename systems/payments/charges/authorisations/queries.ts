import { sql, type Transaction } from '@posthorn/engine'
import type { GatewayError } from '@posthorn/gateway'
import type { Payment } from '../payment.ts'
import type { Settlement } from '../settle/queries.ts'
import { some, first, one } from '../../rows.ts'

/** A capture or a void that is about to be asked for. */
export interface NewDecision {
  readonly paymentId: string
  readonly transactionId: string
  readonly gatewayKey: string
  readonly type: 'capture' | 'void'
  /** In minor units: what is taken, or what is set free. */
  readonly amount: number
  readonly by: string
}

/** False while another one is under way, or was done. */
export const insertDecision = (tx: Transaction, decision: NewDecision) =>
  some(tx)(sql`
    with decision as (
      insert into payments.transactions (id, payment_id, type, amount, currency, gateway_key)
      select ${decision.transactionId}::uuid, id, ${decision.type}, ${decision.amount}::bigint,
             currency, ${decision.gatewayKey}
        from payments.payments
       where id = ${decision.paymentId}
      on conflict (payment_id) where type in ('capture', 'void') and status <> 'failed' do nothing
      returning payment_id
    )
    select payments.create_audit_log(
             p.org_id, ${decision.by}, ${`payment.${decision.type}_requested`}, 'payment', p.id::text,
             jsonb_build_object('amount', ${decision.amount}::bigint))
      from decision
      join payments.payments as p on p.id = decision.payment_id`)

/**
 * The money is held. A webhook may have said more already; one that a webhook has failed is left
 * alone, and the answer is undefined.
 */
export const settleAuthorised = (
  tx: Transaction,
  { transactionId, paymentId, by }: Settlement,
  ref: string,
) =>
  first<Payment>(tx)(sql`
    with payment as (
      update payments.payments
         set gateway_ref = coalesce(gateway_ref, ${ref}),
             authorisation = coalesce(authorisation, 'authorised'),
             -- Gateways let it expire after a week or so, and say so.
             lookup_at = posthorn.now() + interval '8 days'
       where id = ${paymentId} and (status <> 'failed' or authorisation is not null)
      returning *
    ), asked as (
      update payments.transactions as t
         set status = 'succeeded', gateway_ref = ${ref}, updated_at = posthorn.now()
        from payment
       where t.id = ${transactionId}
    )
    select payment.*,
           payments.create_audit_log(org_id, ${by}, 'payment.authorised', 'payment', id::text,
                                     jsonb_build_object('gatewayRef', ${ref}::text))
      from payment`)

/** Ends the request of a capture or a void as done. */
export const settleDecision = (
  tx: Transaction,
  { transactionId, paymentId, by }: Settlement,
  { ref, action }: { readonly ref: string; readonly action: string },
) =>
  tx.query(sql`
    with decision as (
      update payments.transactions
         set status = 'succeeded', gateway_ref = ${ref}, updated_at = posthorn.now()
       where id = ${transactionId}
      returning amount
    )
    select payments.create_audit_log(org_id, ${by}, ${action}, 'payment', p.id::text,
                                     jsonb_build_object('amount', decision.amount))
      from decision
      join payments.payments as p on p.id = ${paymentId}`)

/** The money is taken: the payment succeeds when the gateway's webhook says so. */
export const markCaptured = (tx: Transaction, id: string, amount: number) =>
  one<Payment>(tx)(sql`
    update payments.payments
       set authorisation = 'captured', captured_amount = coalesce(captured_amount, ${amount})
     where id = ${id}
    returning *`)

/** The gateway is asked about a capture whose webhook does not come within five minutes. */
export const planLookup = (tx: Transaction, id: string) =>
  tx.query(sql`
    update payments.payments
       set lookup_at = posthorn.now() + interval '5 minutes', lookups = 0
     where id = ${id}`)

/** The money is held; what was said of it since stays. */
export const markAuthorised = (tx: Transaction, id: string) =>
  tx.query(sql`
    update payments.payments
       set authorisation = coalesce(authorisation, 'authorised')
     where id = ${id}`)

/** The money is free again: the payment has failed. */
export const markFree = (tx: Transaction, id: string, as: 'voided' | 'expired') =>
  one<Payment>(tx)(sql`
    update payments.payments
       set authorisation = ${as}, status = 'failed', error_code = ${as},
           error_message = ${`The authorisation was ${as}.`}
     where id = ${id}
    returning *`)

/** A capture or a void that the gateway refused: what is held is as it was. */
export const settleNotDecided = (
  tx: Transaction,
  { transactionId, paymentId, by }: Settlement,
  { code, message }: GatewayError,
) =>
  tx.query(sql`
    with decision as (
      update payments.transactions
         set status = 'failed', error_code = ${code}, error_message = ${message},
             updated_at = posthorn.now()
       where id = ${transactionId}
      returning type
    )
    select payments.create_audit_log(
             p.org_id, ${by}, 'gateway_error', 'payment', p.id::text,
             jsonb_build_object('request', decision.type, 'code', ${code}::text,
                                'message', ${message}::text, 'retryable', false))
      from decision
      join payments.payments as p on p.id = ${paymentId}`)
