import { invalid } from './errors.ts'

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
