/** How numbers are written. */
export interface NumberStyle {
  readonly decimal: '.' | ','
  readonly thousands: '' | ',' | '.' | ' ' | "'"
}

/** As of a payment. */
const MOST = 999_999_999_999

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
      value = value * 10 + (code - DIGIT_0)
      if (decimals >= 0) decimals += 1
      if (value > MOST) return 'is too large'
    } else if (decimals < 0 && text[i] === decimal) decimals = 0
    else return 'is not a number'
  }
  if (digits === 0 || decimals === 0) return 'is not a number'
  const given = Math.max(decimals, 0)
  if (given > exponent) return `has more than ${exponent} decimals`
  const minor = value * 10 ** (exponent - given)
  return minor > MOST ? 'is too large' : minor
}
