import type { Transaction } from '@posthorn/engine'
import { raiseAlert, recoverAlert } from '@posthorn/operate'
import type { Dispute, Payment } from './payment.ts'

/** Where alerts about what the gateway says come from. */
const SOURCE = 'payments.webhooks'

const aboutPayment =
  (code: string) =>
  (tx: Transaction, { id, org_id: tenant }: Pick<Payment, 'id' | 'org_id'>, detail: string) =>
    raiseAlert(tx, { source: SOURCE, subject: id, tenant, code, detail })

/**
 * Alerts that the gateway contradicts itself or us about money. The payment keeps the state that came
 * first; an operator compares both sides.
 */
export const alertConflict = aboutPayment('PAYMENT_STATE_CONFLICT')

/** Alerts that an event is about another amount, currency or reference than its payment. */
export const alertMismatch = aboutPayment('PAYMENT_EVENT_MISMATCH')

/** Alerts that an event names a payment or a charge that is not here: it waits for one. */
export const alertUnknownPayment = (tx: Transaction, eventId: string, detail: string) =>
  raiseAlert(tx, { source: SOURCE, subject: eventId, code: 'PAYMENT_UNKNOWN', detail })

/** Its payment has appeared. */
export const recoverUnknownPayment = (tx: Transaction, eventId: string) =>
  recoverAlert(tx, { source: SOURCE, subject: eventId })

const DISPUTES = 'payments.disputes'

/** Alerts of a dispute while it is open: the gateway takes evidence until a date. */
export async function alertDispute(tx: Transaction, dispute: Dispute): Promise<void> {
  const { org_id: tenant, status, amount, currency } = dispute
  const subject = partOf(dispute.payment_id, dispute.id)
  if (status !== 'opened') {
    await recoverAlert(tx, { source: DISPUTES, subject })
    return
  }
  const reason = dispute.reason === null ? '' : ` (${dispute.reason})`
  const until = dispute.evidence_due_at?.toISOString()
  const due = until === undefined ? '' : ` The gateway takes evidence until ${until}.`
  const detail = `${amount} ${currency} in minor units of payment ${dispute.payment_id} are disputed${reason}.${due}`
  await raiseAlert(tx, { source: DISPUTES, subject, tenant, code: 'PAYMENT_DISPUTED', detail })
}

/** What an alert about a part of a payment is about: the payment's id comes first. */
export function partOf(paymentId: string, partId: string): string {
  return `${paymentId}/${partId}`
}

const LOOKUPS = 'payments.lookups'

/** Alerts that a payment or a refund stays open although the gateway was asked about it. */
export const alertOverdue = (
  tx: Transaction,
  about: Record<'subject' | 'tenant' | 'detail', string>,
) => raiseAlert(tx, { source: LOOKUPS, code: 'PAYMENT_OVERDUE', ...about })

/** It is settled. */
export const recoverOverdue = (tx: Transaction, subject: string) =>
  recoverAlert(tx, { source: LOOKUPS, subject })
