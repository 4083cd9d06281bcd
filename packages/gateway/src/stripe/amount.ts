import { exponentOf } from '@posthorn/system'

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
