import type { Decision, PaymentFacts } from '../inbound/decision.ts'
import { wordOf, type Reported } from '../inbound/reported.ts'

/*
 * Of a payment that is captured by hand, beside its status:
 *
 *   authorised ──▶ captured            the payment is pending, until the webhook says succeeded
 *        ├───────▶ voided | expired    the payment has failed
 *
 * An event may say the end before the beginning. The table's trigger holds the same moves: see
 * migrations/0001_payments.sql.
 */
export const AUTHORISATIONS = ['authorised', 'captured', 'voided', 'expired'] as const
export type Authorisation = (typeof AUTHORISATIONS)[number]

/** Whether an event is about money that is held. */
export function isAboutAuthorisation(type: string): boolean {
  return /^payment\.(authorised|voided|expired)$/.test(type)
}

/** Decides about an event that says that money is held, or that it is free again. */
export function decideAuthorisation(payment: PaymentFacts, said: Reported): Decision {
  const { status, authorisation, capture_method: method } = payment
  const word = wordOf(said) as Exclude<Authorisation, 'captured'>
  const to = word === 'authorised' ? status : 'failed'
  const isFree = authorisation === 'voided' || authorisation === 'expired'
  const isSaid = word === 'authorised' ? authorisation !== null : isFree
  if (isSaid) return { outcome: 'unchanged', to }
  if (method === 'manual' && authorisation !== 'captured') {
    if (status === 'pending') return { outcome: 'applied', to, authorisation: word }
    // Declined before: there is nothing to set free.
    if (word !== 'authorised') return { outcome: 'unchanged', to }
  }
  const ours = method === 'automatic' ? 'is charged at once' : `is ${authorisation ?? status} here`
  const reason = `Event ${said.eventId} of the gateway says ${word}, but the payment ${ours}.`
  return { outcome: 'forbidden', to, reason }
}
