/** Making a format costs more than a hundred uses of it, and a table has one amount in every row. */
const formats = new Map<string, Intl.NumberFormat>()

/**
 * An amount in minor units as people write it; a currency that nobody knows keeps its units. Sums are
 * text: they may be larger than a number can say.
 */
export function formatMoney(minor: number | string, currency: string, locale?: string): string {
  try {
    const format = formatOf(currency, locale)
    const digits = format.resolvedOptions().maximumFractionDigits ?? 2
    if (typeof minor === 'number') return format.format(minor / 10 ** digits)
    return format.format(`${minor}E-${digits}` as `${number}`)
  } catch {
    return `${minor} ${currency}`
  }
}

/** Throws for what is no currency, so that there are never more than those of the world. */
function formatOf(currency: string, locale: string | undefined): Intl.NumberFormat {
  const name = `${currency} ${locale}`
  const format = formats.get(name) ?? new Intl.NumberFormat(locale, { style: 'currency', currency })
  formats.set(name, format)
  return format
}
