import { sql, uuid, type Queryable, type Transaction } from '@posthorn/engine'
import { all, some } from '@posthorn/system'
import type { Payment, PaymentStatus } from '../payment.ts'
import type { EventOutcome, ReceivedEvent } from './event.ts'

/** What became of an event. */
export interface EventResult {
  readonly outcome: EventOutcome
  readonly reason?: string
}

/** What an event names: a payment, else a charge of the gateway. */
export interface NamedByEvent {
  readonly paymentId?: string
  readonly gatewayRef?: string
}

/** False if the event is known. The text is kept as it came: numbers, spaces, fields of any name. */
export const insertEvent = (
  tx: Transaction,
  { event, text, original, source = 'webhook' }: ReceivedEvent,
  {
    outcome,
    reason,
    payment,
    named,
  }: EventResult & { readonly payment?: Payment; readonly named: NamedByEvent },
) =>
  some(tx)(sql`
    insert into payments.webhook_events
           (event_id, type, source, payment_id, org_id, named_payment, gateway_ref, payload, original,
            outcome, reason, decided_at)
    values (${event.id}, ${event.type}, ${source}, ${payment?.id ?? null},
            ${payment?.org_id ?? null}, ${named.paymentId}, ${named.gatewayRef},
            ${text}::json, ${original}, ${outcome}, ${reason}, posthorn.now())
    on conflict (event_id) do nothing
    returning event_id`)

/** Makes events that waited for this payment its own, to be decided about. Their ids. */
export async function adoptEvents(
  tx: Transaction,
  { id, org_id: orgId, gateway_ref: ref }: Pick<Payment, 'id' | 'org_id' | 'gateway_ref'>,
): Promise<string[]> {
  const { rows } = await tx.query<{ event_id: string }>(sql`
    update payments.webhook_events
       set payment_id = ${id}, org_id = ${orgId}, outcome = 'parked',
           reason = 'its payment has just appeared'
     where outcome = 'unknown_payment' and (named_payment = ${id} or gateway_ref = ${ref})
    returning event_id`)
  return rows.map(({ event_id: eventId }) => eventId)
}

/** An event that was decided about, and how. */
export interface DecidedEvent {
  readonly text: string
  readonly outcome: EventOutcome
}

/**
 * A payment's events that may be applied by now, in the order of their arrival: those that wait, and
 * those about refunds that did not fit, which another refund's failure makes room for.
 */
export const selectUndone = (tx: Transaction, paymentId: string) =>
  all<DecidedEvent>(tx)(sql`
    select payload::text as text, outcome
      from payments.webhook_events
     where payment_id = ${paymentId}
       and (outcome = 'parked' or outcome = 'mismatch' and type ~ 'refund')
     order by received_at, event_id`)

export const settleEvent = (tx: Transaction, eventId: string, { outcome, reason }: EventResult) =>
  tx.query(sql`
    update payments.webhook_events
       set outcome = ${outcome}, reason = ${reason}, decided_at = posthorn.now()
     where event_id = ${eventId}`)

/** Where a payment goes. */
export interface PaymentMove {
  readonly id: string
  readonly to: PaymentStatus
  /** The gateway's, as the event names it. */
  readonly ref: string | null
  /** The gateway has to be told that nothing is wanted of it any more. */
  readonly callsOff: boolean
}

/**
 * Moves a payment; the gateway's reference is taken from the event if no answer has brought it. A
 * charge that the gateway took in undecided is decided with it, and what is decided is not asked about any
 * more. Whether it was asked about in vain until now.
 */
export const movePayment = (tx: Transaction, { id, to, ref, callsOff }: PaymentMove) =>
  some(tx)(sql`
    with charge as (
      update payments.transactions
         set status = case when status <> 'pending' then status
                           when ${to} = 'failed' then 'failed' else 'succeeded' end,
             error_code = case when status = 'pending' and ${to} = 'failed' then 'declined'
                               else error_code end,
             follow_up = case when ${callsOff} then 'open' when ${to} = 'pending' then follow_up
                              else 'closed' end,
             lookup_at = case when ${callsOff} then posthorn.now() else lookup_at end,
             updated_at = case status when 'pending' then posthorn.now() else updated_at end
       where payment_id = ${id} and type in ('charge', 'authorisation')
         and gateway_ref is not null
         and (status = 'pending' or follow_up = 'open' and ${to} <> 'pending')
      returning lookups > 0 and ${to} <> 'pending' as was_asked
    ), payment as (
      update payments.payments
         set status = ${to}, gateway_ref = coalesce(gateway_ref, ${ref})
       where id = ${id}
    )
    select from charge where was_asked`)

/** Ends a charge that the gateway took back. Its reference, if it had succeeded until now. */
export async function failCharge(tx: Transaction, paymentId: string): Promise<string | undefined> {
  const { rows } = await tx.query<{ gateway_ref: string }>(sql`
    update payments.transactions
       set status = 'failed', error_code = 'state_conflict',
           error_message = 'The gateway reported the payment as failed.',
           updated_at = posthorn.now()
     where payment_id = ${paymentId} and type in ('charge', 'authorisation')
       and status = 'succeeded'
    returning gateway_ref`)
  return rows[0]?.gateway_ref
}

export const confirmRefund = (tx: Transaction, id: string) =>
  tx.query(sql`
    update payments.transactions
       set confirmed_at = posthorn.now(), updated_at = posthorn.now(),
           follow_up = case when gateway_ref is null then follow_up else 'closed' end
     where id = ${id}`)

export const failRefund = (tx: Transaction, id: string, reason: string) =>
  tx.query(sql`
    update payments.transactions
       set status = 'failed', error_code = 'refund_failed', error_message = ${reason},
           confirmed_at = null, updated_at = posthorn.now(),
           follow_up = case when gateway_ref is null then follow_up else 'closed' end
     where id = ${id}`)

/** A refund that was made at the gateway, by others than us, or that came to nothing there. */
export async function insertRefundOfGateway(
  tx: Transaction,
  refund: {
    readonly paymentId: string
    readonly orgId: string
    readonly ref: string
    readonly amount: number
    readonly currency: string
    /** Why it came to nothing. */
    readonly failure?: string
  },
): Promise<void> {
  const { paymentId, orgId, ref, amount, currency, failure = null } = refund
  await tx.query(sql`
    insert into payments.transactions
           (id, payment_id, org_id, type, status, amount, currency, gateway_key, gateway_ref,
            confirmed_at, error_code, error_message)
    values (${uuid()}, ${paymentId}, ${orgId}, 'refund',
            case when ${failure}::text is null then 'succeeded' else 'failed' end,
            ${amount}, ${currency}, ${`gateway-${paymentId}-${ref}`}, ${ref},
            case when ${failure}::text is null then posthorn.now() end,
            case when ${failure}::text is not null then 'refund_failed' end, ${failure})`)
}

/** Whether a time is within the tolerance of now, by the database's clock. */
export async function isRecent(
  db: Queryable,
  { timestamp, toleranceSeconds }: { timestamp: number; toleranceSeconds: number },
): Promise<boolean> {
  const { rows } = await db.query<{ recent: boolean }>(sql`
    select abs(extract(epoch from clock_timestamp()) - ${timestamp}::float8)
             <= ${toleranceSeconds}::float8 as recent`)
  return rows[0]?.recent === true
}
