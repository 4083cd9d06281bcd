import { exponentOf } from '@posthorn/system'
import { field, idOf, unreadable } from '../exchange.ts'
import type { Declined, FoundCharge, NextAction } from '../gateway.ts'

/** The key of ours under which a PaymentIntent or a refund was made, in its metadata. */
export const KEY = 'posthorn_key'
/** Our own id of what is paid: the events of Stripe name it. */
export const REFERENCE = 'posthorn_reference'
/** The key of ours under which it was captured. */
export const CAPTURE = 'posthorn_capture'

/** A value of an object's metadata. */
export function metadataOf(object: unknown, name: string): string | undefined {
  const value = field(field(object, 'metadata'), name)
  return typeof value === 'string' ? value : undefined
}

/** What a PaymentIntent has come to, as it stands. `none`: no money was ever asked for. */
export function foundIn(intent: unknown): FoundCharge {
  const ref = idOf(intent)
  if (ref === undefined) return unreadable()
  switch (field(intent, 'status')) {
    case 'succeeded': {
      const currency = String(field(intent, 'currency')).toUpperCase()
      const amount = fromStripe(field(intent, 'amount_received'), currency)
      return amount === undefined ? unreadable() : { kind: 'charged', ref, amount }
    }
    case 'requires_capture':
      return { kind: 'authorised', ref }
    case 'processing':
      return { kind: 'pending', ref }
    case 'requires_action': {
      const nextAction = actionIn(intent)
      return nextAction ? { kind: 'pending', ref, nextAction } : unreadable()
    }
    case 'requires_payment_method':
    case 'requires_confirmation':
      return declinedIn(intent) ?? { kind: 'none' }
    case 'canceled': {
      const wasAsked = typeof field(intent, 'latest_charge') === 'string'
      return declinedIn(intent) ?? (wasAsked ? { kind: 'voided', ref } : { kind: 'none' })
    }
    default:
      return unreadable()
  }
}

/** What the customer does: goes to a page, or answers in Stripe's own library. */
function actionIn(intent: unknown): NextAction | undefined {
  const url = field(field(field(intent, 'next_action'), 'redirect_to_url'), 'url')
  if (typeof url === 'string') return { type: 'redirect', url }
  const clientSecret = field(intent, 'client_secret')
  return typeof clientSecret === 'string' ? { type: 'sdk', clientSecret } : undefined
}

/** Why the bank refused; undefined if it did not. */
function declinedIn(intent: unknown): Declined | undefined {
  const error = field(intent, 'last_payment_error')
  if (typeof error !== 'object' || error === null) return undefined
  const [code, message] = [field(error, 'code'), field(error, 'message')]
  const reason = field(error, 'decline_code')
  const text = typeof message === 'string' ? message.slice(0, 500) : 'The payment was declined.'
  return {
    kind: 'declined',
    ref: idOf(intent),
    error: {
      code: typeof code === 'string' ? code.slice(0, 100) : 'declined',
      message: typeof reason === 'string' ? `${text} (${reason.slice(0, 100)})` : text,
    },
  }
}

/*
 * Stripe's minor units are ISO 4217's but for these. HUF and TWD are as in ISO, with two digits:
 * only payouts of them must be whole.
 */

/** Without a minor unit. MGA has two digits in ISO 4217. */
const ZERO_DECIMAL = new Set(
  'BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'.split(' '),
)
/** With three digits, of which the last must be 0. */
const THREE_DECIMAL = new Set('BHD JOD KWD OMR TND'.split(' '))

function digitsOf(currency: string): number {
  if (ZERO_DECIMAL.has(currency)) return 0
  // ISK and UGX among them: none by now in ISO 4217, two that are 0 here.
  return THREE_DECIMAL.has(currency) ? 3 : 2
}

/** What Stripe calls an amount of ours; undefined where it cannot say it. */
export function toStripe(amount: number, currency: string): number | undefined {
  const ours = exponentOf(currency)
  if (ours === undefined) return undefined
  const shift = digitsOf(currency) - ours
  const step = shift < 0 ? 10 ** -shift : 1
  if (amount % step !== 0) return undefined
  const theirs = shift < 0 ? amount / step : amount * 10 ** shift
  if (THREE_DECIMAL.has(currency) && theirs % 10 !== 0) return undefined
  return Number.isSafeInteger(theirs) ? theirs : undefined
}

/** An amount of Stripe's in our minor units; undefined if that is no whole number of them. */
export function fromStripe(amount: unknown, currency: string): number | undefined {
  const ours = exponentOf(currency)
  if (ours === undefined || typeof amount !== 'number' || !Number.isSafeInteger(amount)) {
    return undefined
  }
  const shift = ours - digitsOf(currency)
  const step = shift < 0 ? 10 ** -shift : 1
  if (amount % step !== 0) return undefined
  return shift < 0 ? amount / step : amount * 10 ** shift
}
