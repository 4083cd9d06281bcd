const RFC_3339 =
  /^((\d{4})-\d{2}-\d{2})[Tt](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:[Zz]|[+-](\d{2}):[0-5]\d)$/

/** Postgres knows no offsets of 16 hours and more. */
const MOST_HOURS_OFFSET = 15

/**
 * Whether a text is a time of RFC 3339 that JavaScript and Postgres both take: not one of the year
 * 0, of the 30th of February, with a leap second or an offset that no clock has.
 */
export function isDateTime(text: string): boolean {
  const [, date = '', year, hours = '0'] = RFC_3339.exec(text) ?? []
  if (year === undefined || year === '0000' || Number(hours) > MOST_HOURS_OFFSET) return false
  const day = new Date(`${date}T00:00:00Z`)
  // A day that its month does not have is read as one of the next month.
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(date)
}
