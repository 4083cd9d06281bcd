import { invalid, type Decline } from './errors.ts'

/** What a test payment method does, by Stripe's list. */
export interface Behaviour {
  readonly type: 'card' | 'us_bank_account'
  readonly decline?: Decline
  /** Wants the customer to do something first. */
  readonly needsAction?: true
  /** Stays `processing` for a while, and then succeeds or fails. */
  readonly later?: 'succeeds' | 'fails'
  /** The customer disputes the charge. */
  readonly disputes?: true
  readonly refunds?: 'pending' | 'fail'
}

const card: Behaviour = { type: 'card' }

const declined = (declineCode: string, code = 'card_declined'): Behaviour => ({
  ...card,
  decline: {
    code,
    ...(code === 'card_declined' && { decline_code: declineCode }),
    message: MESSAGES[code] ?? 'Your card was declined.',
  },
})

const MESSAGES: Readonly<Record<string, string>> = {
  card_declined: 'Your card was declined.',
  expired_card: 'Your card has expired.',
  incorrect_cvc: "Your card's security code is incorrect.",
  processing_error: 'An error occurred while processing your card. Try again in a little bit.',
}

const METHODS: Readonly<Record<string, Behaviour>> = {
  pm_card_visa: card,
  pm_card_visa_debit: card,
  pm_card_mastercard: card,
  pm_card_amex: card,
  pm_card_us: card,
  pm_card_de: card,
  pm_card_chargeDeclined: declined('generic_decline'),
  pm_card_visa_chargeDeclined: declined('generic_decline'),
  pm_card_visa_chargeDeclinedInsufficientFunds: declined('insufficient_funds'),
  pm_card_visa_chargeDeclinedLostCard: declined('lost_card'),
  pm_card_visa_chargeDeclinedStolenCard: declined('stolen_card'),
  pm_card_chargeDeclinedInsufficientFunds: declined('insufficient_funds'),
  pm_card_chargeDeclinedExpiredCard: declined('', 'expired_card'),
  pm_card_chargeDeclinedIncorrectCvc: declined('', 'incorrect_cvc'),
  pm_card_chargeDeclinedProcessingError: declined('', 'processing_error'),
  pm_card_authenticationRequired: { ...card, needsAction: true },
  pm_card_createDispute: { ...card, disputes: true },
  pm_card_pendingRefund: { ...card, refunds: 'pending' },
  pm_card_refundFail: { ...card, refunds: 'fail' },
  pm_usBankAccount_success: { type: 'us_bank_account', later: 'succeeds' },
  pm_usBankAccount_insufficientFunds: { type: 'us_bank_account', later: 'fails' },
}

export function behaviourOf(paymentMethod: string): Behaviour {
  const known = METHODS[paymentMethod]
  if (known) return known
  const about = { code: 'resource_missing', param: 'payment_method' }
  throw invalid(`No such PaymentMethod: '${paymentMethod}'`, about)
}

export const GENERIC_DECLINE: Decline = {
  code: 'card_declined',
  decline_code: 'generic_decline',
  message: 'Your card was declined.',
}

export const AUTHENTICATION_REQUIRED: Decline = {
  code: 'authentication_required',
  decline_code: 'authentication_required',
  message: 'Your card was declined. This transaction requires authentication.',
}
