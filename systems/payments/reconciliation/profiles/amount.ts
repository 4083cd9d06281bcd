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
    if (date !== undefined && known.size < MOST_KNOWN) known.set(structuredClone(text), date)
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

/** How numbers are written. */
export interface NumberStyle {
  readonly decimal: '.' | ','
  readonly thousands: '' | ',' | '.' | ' ' | "'"
}

/** What a number says exactly. Balances and lines of banks are larger than payments may be. */
const MOST = Number.MAX_SAFE_INTEGER

const DIGIT_0 = 48
const DIGIT_9 = 57

/**
 * An amount in major units, `-1,234.50`, as minor units of so many digits; else why it is none. Read
 * digit by digit into a whole number: nothing is rounded, and no float is ever between.
 */
export function readAmount(text: string, style: NumberStyle, exponent: number): number | string {
  if (text === '') return 'is empty'
  const { sign, digits } = signOf(text)
  const plain = style.thousands === '' ? digits : ungroup(digits, style)
  if (plain === undefined) return 'has a thousands separator in the wrong place'
  const minor = minorUnits(plain, style.decimal, exponent)
  // Not -0.
  return typeof minor === 'number' && minor !== 0 ? sign * minor : minor
}

/** The sign may stand before the number or, as some banks write, after it. */
function signOf(text: string): { sign: 1 | -1; digits: string } {
  const first = text[0]
  if (first === '-' || first === '\u2212') return { sign: -1, digits: text.slice(1) }
  if (first === '+') return { sign: 1, digits: text.slice(1) }
  if (text.endsWith('-')) return { sign: -1, digits: text.slice(0, -1) }
  return { sign: 1, digits: text }
}

/** Groups must be of three, so that a decimal sign is never taken for one: `1,50` is not 150. */
function ungroup(text: string, { decimal, thousands }: NumberStyle): string | undefined {
  const spaced = thousands === ' ' ? text.replaceAll(/[\u00A0\u202F]/g, ' ') : text
  if (!spaced.includes(thousands)) return spaced
  const [whole = '', ...rest] = spaced.split(decimal)
  const [first = '', ...groups] = whole.split(thousands)
  if (first.length < 1 || first.length > 3 || groups.some((group) => group.length !== 3)) return
  if (rest.some((part) => part.includes(thousands))) return
  return [first + groups.join(''), ...rest].join(decimal)
}

function minorUnits(text: string, decimal: string, exponent: number): number | string {
  let value = 0
  let digits = 0
  // Of the fraction; -1 before its sign.
  let decimals = -1
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i)
    if (code >= DIGIT_0 && code <= DIGIT_9) {
      digits += 1
      if (decimals >= 0) decimals += 1
      if (decimals > exponent) {
        // Some banks write five decimals always: zeros past those of the currency say nothing.
        if (code === DIGIT_0) continue
        return `has more than ${exponent} decimals`
      }
      value = value * 10 + (code - DIGIT_0)
      if (value > MOST) return 'is too large'
    } else if (decimals < 0 && text[i] === decimal) decimals = 0
    else return 'is not a number'
  }
  if (digits === 0 || decimals === 0) return 'is not a number'
  const given = Math.min(Math.max(decimals, 0), exponent)
  const minor = value * 10 ** (exponent - given)
  return minor > MOST ? 'is too large' : minor
}
