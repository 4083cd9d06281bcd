const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const AMOUNT = /^\d{1,12}([.,]\d{1,2})?$/

/** The text as a UUID; null for what is none. */
export function uuidIn(text: string): string | null {
  return UUID.test(text) ? text : null
}

/** Those of the texts that are UUIDs. */
export function uuidsIn(texts: readonly string[]): string[] {
  return texts.filter((text) => UUID.test(text))
}

/** `12.50` in hundredths; null for what is no amount. */
export function amountIn(text: string): number | null {
  return AMOUNT.test(text) ? Math.round(Number(text.replace(',', '.')) * 100) : null
}

/** An amount as words: `12.50 EUR`. */
export function amountText(minor: number | string, currency: string): string {
  return `${(Number(minor) / 100).toFixed(2)} ${currency}`
}
