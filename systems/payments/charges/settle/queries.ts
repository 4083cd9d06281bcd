import { sql, type Transaction } from '@posthorn/engine'
import { first, one } from '@posthorn/system'
import type { GatewayError, Pending } from '@posthorn/gateway'
import type { GatewayTransaction, Payment } from '../payment.ts'

/** A transaction that is about to end, and who ends it. */
export interface Settlement {
  readonly transactionId: string
  readonly paymentId: string
  readonly by: string
}

/** A payment that was just settled, and whether events that wait for one name it. */
export interface SettledPayment extends Payment {
  readonly is_awaited: boolean
}

const isAwaited = sql`
  exists (select from payments.webhook_events as e
           where e.outcome = 'unknown_payment'
             and (e.named_payment = payment.id or e.gateway_ref = payment.gateway_ref)) as is_awaited`

/**
 * The money is taken. The payment stays as it is: it succeeds when the gateway's webhook says so. One
 * that a webhook has failed is left alone, and the answer is undefined.
 */
export const settleCharged = (
  tx: Transaction,
  { transactionId, paymentId, by }: Settlement,
  ref: string,
) =>
  first<SettledPayment>(tx)(sql`
    with payment as (
      update payments.payments
         set gateway_ref = coalesce(gateway_ref, ${ref})
       where id = ${paymentId} and status <> 'failed'
      returning *
    ), charge as (
      update payments.transactions as t
         set status = 'succeeded', gateway_ref = ${ref}, updated_at = posthorn.now(),
             -- Its webhook takes seconds: after five minutes the gateway is asked.
             lookup_at = posthorn.now() + interval '5 minutes', lookups = 0,
             follow_up = case payment.status when 'pending' then 'open' else 'closed' end
        from payment
       where t.id = ${transactionId}
    )
    select payment.*, ${isAwaited},
           payments.create_audit_log(org_id, ${by}, 'payment.charged', 'payment', id::text,
                                     jsonb_build_object('gatewayRef', ${ref}::text))
      from payment`)

/**
 * The gateway has the charge and decides later, by webhook: its transaction waits, unless the webhook
 * was faster than this answer.
 */
export const settlePending = (
  tx: Transaction,
  { transactionId, paymentId, by }: Settlement,
  { ref, nextAction }: Pending,
) =>
  one<Payment>(tx)(sql`
    with payment as (
      update payments.payments
         set gateway_ref = coalesce(gateway_ref, ${ref}),
             next_action = case status
                             when 'pending' then ${nextAction && JSON.stringify(nextAction)}::jsonb end
       where id = ${paymentId}
      returning *
    ), charge as (
      update payments.transactions as t
         set gateway_ref = ${ref}, updated_at = posthorn.now(),
             lookup_at = posthorn.now() + interval '1 hour', lookups = 0,
             follow_up = case payment.status when 'pending' then 'open' else 'closed' end,
             status = case payment.status when 'pending' then 'pending' when 'failed' then 'failed'
                      else 'succeeded' end,
             error_code = case payment.status when 'failed' then 'declined' end
        from payment
       where t.id = ${transactionId}
    )
    select payment.*,
           payments.create_audit_log(org_id, ${by}, 'payment.charge_pending', 'payment', id::text,
                                     jsonb_build_object('gatewayRef', ${ref}::text)
                                     || case when next_action is null then '{}'::jsonb
                                        else jsonb_build_object('nextAction', next_action -> 'type')
                                        end)
      from payment`)

/** The money is not taken. A webhook may have said so first: then the payment has failed already. */
export const settleNotCharged = (
  tx: Transaction,
  { transactionId, paymentId, by }: Settlement,
  failure: GatewayError & { readonly ref?: string | undefined },
) =>
  one<SettledPayment>(tx)(sql`
    with charge as (
      update payments.transactions
         set status = 'failed', gateway_ref = ${failure.ref}, error_code = ${failure.code},
             error_message = ${failure.message}, updated_at = posthorn.now(), follow_up = 'closed'
       where id = ${transactionId}
    ), payment as (
      update payments.payments
         set status = case when status = 'pending' then 'failed' else status end,
             gateway_ref = coalesce(gateway_ref, ${failure.ref}), error_code = ${failure.code},
             error_message = ${failure.message}
       where id = ${paymentId}
      returning *
    )
    select payment.*, ${isAwaited},
           payments.create_audit_log(
             org_id, ${by}, 'gateway_error', 'payment', id::text,
             jsonb_build_object('code', ${failure.code}::text, 'message', ${failure.message}::text,
                                'retryable', false))
      from payment`)

export const settleRefunded = (tx: Transaction, { transactionId, by }: Settlement, ref: string) =>
  one<GatewayTransaction>(tx)(sql`
    with refund as (
      update payments.transactions
         -- Failed is final, and its webhook may have been faster than this answer.
         set status = case status when 'failed' then status else 'succeeded' end,
             gateway_ref = ${ref}, updated_at = posthorn.now(),
             -- Banks take longer for money that goes back: after an hour the gateway is asked.
             lookup_at = posthorn.now() + interval '1 hour', lookups = 0,
             follow_up = case when confirmed_at is null and status <> 'failed' then 'open'
                              else 'closed' end
       where id = ${transactionId}
      returning *
    )
    select refund.*,
           payments.create_audit_log(
             payment.org_id, ${by}, 'payment.refund_accepted', 'payment', payment.id::text,
             jsonb_build_object('refundId', refund.id, 'gatewayRef', ${ref}::text))
      from refund
      join payments.payments as payment on payment.id = refund.payment_id`)

/** A refund, a capture or a void that the gateway refused: nothing is given back, what is held is as it was. */
export const settleNotMoved = (
  tx: Transaction,
  { transactionId, by }: Settlement,
  { code, message }: GatewayError,
) =>
  tx.query(sql`
    with move as (
      update payments.transactions
         set status = 'failed', error_code = ${code}, error_message = ${message},
             updated_at = posthorn.now(), follow_up = 'closed'
       where id = ${transactionId}
      returning *
    )
    select payments.create_audit_log(
             p.org_id, ${by}, 'gateway_error', 'payment', p.id::text,
             jsonb_build_object('code', ${code}::text, 'message', ${message}::text, 'retryable', false)
             || case move.type when 'refund' then jsonb_build_object('refundId', move.id)
                else jsonb_build_object('request', move.type) end)
      from move
      join payments.payments as p on p.id = move.payment_id`)

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
             authorisation = coalesce(authorisation, 'authorised')
       where id = ${paymentId} and (status <> 'failed' or authorisation is not null)
      returning *
    ), asked as (
      update payments.transactions as t
         set status = 'succeeded', gateway_ref = ${ref}, updated_at = posthorn.now(),
             -- Gateways let it expire after a week or so, and say so.
             lookup_at = posthorn.now() + interval '8 days', lookups = 0,
             follow_up = case payment.status when 'pending' then 'open' else 'closed' end
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
         set status = 'succeeded', gateway_ref = ${ref}, updated_at = posthorn.now(),
             follow_up = 'closed'
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
    update payments.transactions
       set lookup_at = posthorn.now() + interval '5 minutes', lookups = 0
     where payment_id = ${id} and type = 'authorisation'`)

/** The money is held; what was said of it since stays. */
export const markAuthorised = (tx: Transaction, id: string) =>
  tx.query(sql`
    update payments.payments
       set authorisation = coalesce(authorisation, 'authorised')
     where id = ${id}`)

/** The money is free again: the payment has failed. */
export const markFree = (tx: Transaction, id: string, as: 'voided' | 'expired') =>
  one<Payment>(tx)(sql`
    with closed as (
      update payments.transactions
         set follow_up = 'closed'
       where payment_id = ${id} and type = 'authorisation' and gateway_ref is not null
    )
    update payments.payments
       set authorisation = ${as}, status = 'failed', error_code = ${as},
           error_message = ${`The authorisation was ${as}.`}
     where id = ${id}
    returning *`)
