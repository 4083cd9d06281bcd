import type { Transaction } from '@posthorn/engine'
import { raiseAlert, recoverAlert } from '@posthorn/operate'
import { takenOf, type Dispute, type Payment } from './payment.ts'

/** Where alerts about what the gateway says come from. */
const SOURCE = 'payments.webhooks'

/** What contradicts a payment, and the event or the request that did: another one is another alert. */
interface Contradiction {
  readonly detail: string
  readonly occurrence: string
}

const aboutPayment =
  (code: string) =>
  (tx: Transaction, { id, org_id: tenant }: Pick<Payment, 'id' | 'org_id'>, what: Contradiction) =>
    raiseAlert(tx, { source: SOURCE, subject: id, tenant, code, ...what })

/**
 * Alerts that the gateway contradicts itself or us about money. The payment keeps the state that came
 * first; an operator compares both sides, settles it, and acknowledges the alert, which ends it.
 */
export const alertConflict = aboutPayment('PAYMENT_STATE_CONFLICT')

/** Alerts that an event is about another amount, currency or reference than its payment. */
export const alertMismatch = aboutPayment('PAYMENT_EVENT_MISMATCH')

/** What an event contradicted or did not fit was decided otherwise since. */
export const recoverEvent = (tx: Transaction, { id }: Pick<Payment, 'id'>, occurrence: string) =>
  recoverAlert(tx, { source: SOURCE, subject: id, occurrence })

/** Alerts that an event names a payment or a charge that is not here: it waits for one. */
export const alertUnknownPayment = (tx: Transaction, eventId: string, detail: string) =>
  raiseAlert(tx, { source: SOURCE, subject: eventId, code: 'PAYMENT_UNKNOWN', detail })

/** Its payment has appeared. */
export const recoverUnknownPayment = (tx: Transaction, eventId: string) =>
  recoverAlert(tx, { source: SOURCE, subject: eventId })

const DISPUTES = 'payments.disputes'

/** Alerts of an inquiry and of a dispute while it is open: the gateway takes evidence until a date. */
export async function alertDispute(tx: Transaction, payment: Payment, dispute: Dispute) {
  const { org_id: tenant, status, amount, currency } = dispute
  const subject = partOf(payment.id, dispute.id)
  // That of an inquiry ends when it becomes a dispute.
  await recoverAlert(tx, { source: DISPUTES, subject })
  if (dispute.closed_at !== null) return
  const taken = takenOf(payment)
  const isOdd = currency !== payment.currency || Number(amount) > taken
  const than = isOdd ? ` (the payment is of ${taken} ${payment.currency})` : ''
  const reason = dispute.reason === null ? '' : ` (${dispute.reason})`
  const is =
    status === 'inquiry' ? 'asked about; an answer may prevent a dispute' : `disputed${reason}`
  const until = dispute.evidence_due_at?.toISOString()
  const due = until === undefined ? '' : ` The gateway takes evidence until ${until}.`
  const detail = `${amount} ${currency} in minor units of payment ${payment.id}${than} are ${is}.${due}`
  const code = status === 'inquiry' ? 'PAYMENT_INQUIRY' : 'PAYMENT_DISPUTED'
  await raiseAlert(tx, { source: DISPUTES, subject, tenant, code, detail })
}

const LEDGER = 'payments.ledger'

/** Alerts of a payment of which more went back than it brought, for as long as that is so. */
export async function watchNet(
  tx: Transaction,
  { id: subject, org_id: tenant, currency }: Payment,
  { net }: { readonly net: number },
): Promise<void> {
  if (net >= 0) {
    await recoverAlert(tx, { source: LEDGER, subject })
    return
  }
  const detail = `Refunds and disputes of the payment took ${-net} ${currency} in minor units more than it brought. See whether the gateway was told of the refunds when it took the disputed money.`
  await raiseAlert(tx, { source: LEDGER, subject, tenant, code: 'PAYMENT_OVERDRAWN', detail })
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
