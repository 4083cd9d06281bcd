import { exponentOf, MINOR_UNITS } from './currency.ts'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const AMOUNT = /^(\d{1,12})(?:[.,](\d{1,4}))?$/

/** The text as a UUID; null for what is none. */
export function uuidIn(text: string): string | null {
  return UUID.test(text) ? text : null
}

/** Those of the texts that are UUIDs. */
export function uuidsIn(texts: readonly string[]): string[] {
  return texts.filter((text) => UUID.test(text))
}

/**
 * `12.50` in the minor units of each currency that has such an amount, as JSON: `{"EUR": 1250, …}`.
 * Null for what is no amount.
 */
export function amountsIn(text: string): string | null {
  const [, whole, part = ''] = AMOUNT.exec(text) ?? []
  if (whole === undefined) return null
  const digits = part.replace(/0+$/, '')
  const amounts = Object.entries(MINOR_UNITS)
    .filter(([, exponent]) => digits.length <= exponent)
    .map(([currency, exponent]) => [currency, Number(whole + digits.padEnd(exponent, '0'))])
  return JSON.stringify(Object.fromEntries(amounts))
}

/** An amount as words, with the digits of its currency: `12.50 EUR`, `1200 JPY`. */
export function amountText(minor: number | string, currency: string): string {
  const digits = exponentOf(currency) ?? 2
  return `${(Number(minor) / 10 ** digits).toFixed(digits)} ${currency}`
}
