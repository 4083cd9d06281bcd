import { invalid, type Decline } from './answers.ts'

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
  if (Object.hasOwn(METHODS, paymentMethod)) return METHODS[paymentMethod] ?? card
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

/** What a PaymentIntent says whose customer did not authenticate. */
export const AUTHENTICATION_FAILED = {
  type: 'card_error',
  code: 'payment_intent_authentication_failure',
  message:
    'We are unable to authenticate your payment method. Please choose a different payment method and try again.',
}

/** Charged as they are written, without a minor unit. */
const ZERO_DECIMAL = 'bif clp djf gnf jpy kmf krw mga pyg rwf vnd vuv xaf xof xpf'.split(' ')
/** With three digits, of which the last must be 0. */
const THREE_DECIMAL = 'bhd jod kwd omr tnd'.split(' ')
/** Without a minor unit by now, and still written with two digits, both of them 0. */
const WHOLE_HUNDREDS = ['isk', 'ugx']

/** Stripe's presentment currencies with two digits, and with the two lists above all of them. */
const TWO_DECIMAL = `aed afn all amd ang aoa ars aud awg azn bam bbd bdt bgn bmd bnd bob brl bsd bwp byn
  bzd cad cdf chf cny cop crc cve czk dkk dop dzd egp etb eur fjd fkp gbp gel gip gmd gtq gyd hkd hnl
  htg huf idr ils inr isk jmd kes kgs khr kyd kzt lak lbp lkr lrd lsl mad mdl mkd mmk mnt mop mur mvr
  mwk mxn myr mzn nad ngn nio nok npr nzd pab pen pgk php pkr pln qar ron rsd rub sar sbd scr sek sgd
  shp sle sos srd std szl thb tjs top try ttd twd tzs uah ugx usd uyu uzs wst xcd xcg yer zar zmw`
const CURRENCIES = new Set([...TWO_DECIMAL.split(/\s+/), ...ZERO_DECIMAL, ...THREE_DECIMAL])

const MOST = 99_999_999

/** Checks an amount of a new payment by its currency. */
export function checkAmount(amount: number, currency: string): void {
  if (!CURRENCIES.has(currency)) {
    throw invalid(`Invalid currency: ${currency}.`, { param: 'currency' })
  }
  if (amount < 1) {
    const about = { code: 'parameter_invalid_integer', param: 'amount' }
    throw invalid('This value must be greater than or equal to 1.', about)
  }
  if (amount > MOST) {
    const about = { code: 'amount_too_large', param: 'amount' }
    throw invalid('Amount must be no more than 999,999.99', about)
  }
  checkDigits(amount, currency)
}

/** Checks the last digits, which some currencies must leave 0. */
export function checkDigits(amount: number, currency: string): void {
  const step = THREE_DECIMAL.includes(currency) ? 10 : WHOLE_HUNDREDS.includes(currency) ? 100 : 1
  if (amount % step === 0) return
  const message = `Invalid amount: in ${currency} it must be divisible by ${step}`
  throw invalid(message, { code: 'invalid_charge_amount', param: 'amount' })
}
