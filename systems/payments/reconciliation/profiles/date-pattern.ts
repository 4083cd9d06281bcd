/** Reads a date as a file writes it: `2026-03-07`, or undefined if it is none. */
export type DateReader = (text: string) => string | undefined

const TOKEN = /yyyy|yy|MM?|dd?|HH|mm|ss|[^A-Za-z0-9\\]|T|Z/y
const DIGITS: Readonly<Record<string, string>> = {
  yyyy: '(?<year>\\d{4})',
  yy: '(?<year>\\d{2})',
  MM: '(?<month>\\d{2})',
  M: '(?<month>\\d{1,2})',
  dd: '(?<day>\\d{2})',
  d: '(?<day>\\d{1,2})',
  // The time says nothing here: a booking is of a day.
  HH: '(?:[01]\\d|2[0-3])',
  mm: '[0-5]\\d',
  ss: '[0-5]\\d',
}

/** Files have few dates in many rows; past this many, the file is not one of those. */
const MOST_KNOWN = 4_096

/** A reader for dates of a pattern such as `dd.MM.yyyy`; undefined if it is no pattern. */
export function datePattern(pattern: string): DateReader | undefined {
  const source = sourceOf(pattern)
  if (source === undefined) return undefined
  const expression = new RegExp(`^${source}$`)
  const known = new Map<string, string | undefined>()
  return (text) => {
    const before = known.get(text)
    if (before !== undefined) return before
    const date = read(expression, text)
    // A copy: the text is a part of some piece of the file, and would keep all of it.
    if (date !== undefined && known.size < MOST_KNOWN) known.set(Buffer.from(text).toString(), date)
    return date
  }
}

function sourceOf(pattern: string): string | undefined {
  let source = ''
  let at = 0
  while (at < pattern.length) {
    TOKEN.lastIndex = at
    const token = TOKEN.exec(pattern)?.[0]
    if (token === undefined) return undefined
    source += DIGITS[token] ?? token.replace(/[^\w\s]/, '\\$&')
    at += token.length
  }
  const isDate = ['year', 'month', 'day'].every((part) => source.split(`<${part}>`).length === 2)
  return isDate ? source : undefined
}

function read(expression: RegExp, text: string): string | undefined {
  const { year = '', month = '', day = '' } = expression.exec(text)?.groups ?? {}
  if (year === '') return undefined
  const whole = `${year.padStart(4, '20')}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  return isDay(whole) ? whole : undefined
}

/** Whether the calendar has it, within what a file of today can be about. */
function isDay(date: string): boolean {
  if (date < '1970-01-01' || date > '2199-12-31') return false
  const time = new Date(`${date}T00:00:00Z`)
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(date)
}
