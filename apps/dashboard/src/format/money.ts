/** Making a format costs more than a hundred uses of it, and a table has one amount in every row. */
const formats = new Map<string, Intl.NumberFormat>()

let minorUnits: Readonly<Record<string, number>> = {}

/**
 * Sets the digits of each currency's minor unit, once, before a page is shown: the server has the
 * table. `Intl` knows how people write a currency, which for some has fewer digits.
 */
export function setMinorUnits(table: Readonly<Record<string, number>>): void {
  minorUnits = table
  formats.clear()
}

/**
 * An amount in minor units as people write it; a currency that is not in the table keeps its units.
 * Sums are text: they may be larger than a number can say.
 */
export function formatMoney(minor: number | string, currency: string, locale?: string): string {
  const digits = minorUnits[currency]
  if (digits === undefined) return `${minor} ${currency}`
  // As text: divided, an amount of sixteen digits would lose its last one.
  return formatOf(currency, digits, locale).format(`${minor}E-${digits}` as `${number}`)
}

function formatOf(currency: string, digits: number, locale: string | undefined) {
  const name = `${currency} ${locale}`
  const format =
    formats.get(name) ??
    new Intl.NumberFormat(locale, {
      style: 'currency',
      currency,
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
    })
  formats.set(name, format)
  return format
}

/**
 * An amount as people write it, `12.50`, `1,234.50` or `1.234,50`, in minor units; undefined for what
 * is none in this currency. Of one sign with three digits behind it, only a currency of three digits
 * makes a decimal: `1,234` euros are a thousand and some.
 */
export function parseMoney(text: string, currency: string): number | undefined {
  const digits = minorUnits[currency]
  const plain = text.replaceAll(/[\s\u00A0\u202F'’]/g, '')
  if (digits === undefined || !/^\d[\d.,]*$/.test(plain)) return undefined
  const at = decimalAt(plain, digits)
  const whole = at < 0 ? plain : plain.slice(0, at)
  const fraction = at < 0 ? '' : plain.slice(at + 1)
  if (!/^(?:\d+|\d{1,3}(?:[.,]\d{3})+)$/.test(whole) || fraction.length > digits) return undefined
  if (at >= 0 && fraction === '') return undefined
  const minor = Number(whole.replaceAll(/[.,]/g, '') + fraction.padEnd(digits, '0'))
  return Number.isSafeInteger(minor) ? minor : undefined
}

/** Where the decimal sign is; -1 if there is none. */
function decimalAt(text: string, digits: number): number {
  const last = Math.max(text.lastIndexOf('.'), text.lastIndexOf(','))
  if (last < 0) return -1
  const sign = text[last] ?? ''
  const isOnly = text.indexOf(sign) === last
  const isAlone = !text.includes(sign === '.' ? ',' : '.')
  if (!isOnly) return -1
  const isGroup = isAlone && text.length - last - 1 === 3 && digits !== 3
  return isGroup ? -1 : last
}

/** Minor units as a field shows them to be changed: `12.50`, `1200`. */
export function plainMoney(minor: number, currency: string): string {
  const digits = minorUnits[currency] ?? 0
  const text = String(minor).padStart(digits + 1, '0')
  return digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`
}
