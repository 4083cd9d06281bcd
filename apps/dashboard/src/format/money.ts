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
