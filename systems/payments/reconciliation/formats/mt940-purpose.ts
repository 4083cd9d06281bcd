import type { Mt940Reference } from './references.ts'
import { datePattern } from '../profiles/amount.ts'
import { readCommaAmount } from './statement-amount.ts'

const day = datePattern('yyyy-MM-dd')

const BALANCE = /^([CD])(\d{6})([A-Z]{3})(\d[\d,]*)$/

/** A balance with its sign, in minor units; or what is wrong with it. */
export function readBalanceField(
  value: string,
): { readonly currency: string; readonly amount: number } | string {
  const [, sign, , currency = '', digits = ''] = BALANCE.exec(value) ?? []
  if (sign === undefined) return 'is not a balance such as C260331EUR1234,56'
  const amount = readCommaAmount(digits, currency)
  if (typeof amount === 'string') return `has an amount that ${amount}`
  return { currency, amount: sign === 'D' && amount !== 0 ? -amount : amount }
}

/** A booking of field 61. */
export interface EntryField {
  readonly amount: number
  readonly bookedOn: string
  readonly references: Partial<Record<Mt940Reference, string>>
  /** Its second line. */
  readonly supplement: string
}

/*
 * Value date, booking date (MMDD), credit or debit (R: the reversal of one, E: expected), the third
 * letter of the currency, amount, kind of the transaction; the references follow.
 */
const ENTRY = /^(\d{6})(\d{4})?(R[CD]|E[CD]|[CD])([A-Z])?(\d[\d,]{0,15})([NFS][A-Z0-9]{3})?/

/** Reads field 61; or says what is wrong with it. */
export function readEntryField(value: string, currency: string): EntryField | string {
  const found = ENTRY.exec(value)
  if (!found) return 'is not a booking such as 2603310331CR1234,56NTRFREF//BANKREF'
  const [whole, valued = '', booked, mark = '', , digits = ''] = found
  const amount = readCommaAmount(digits, currency)
  if (typeof amount === 'string') return `has an amount that ${amount}`
  const bookedOn = bookingDay(valued, booked)
  if (bookedOn === undefined) return 'has a date that the calendar does not have'
  const [first = '', ...rest] = value.slice(whole.length).split('\n')
  const at = first.indexOf('//')
  const customer = (at < 0 ? first : first.slice(0, at)).trim()
  const bank = at < 0 ? '' : first.slice(at + 2).trim()
  // The reversal of a credit takes the money away again.
  const isOut = mark === 'D' || mark === 'RC' || mark === 'ED'
  return {
    amount: isOut && amount !== 0 ? -amount : amount,
    bookedOn,
    references: { ...(customer !== '' && { customer }), ...(bank !== '' && { bank }) },
    supplement: rest.join(' '),
  }
}

/** The booking date has no year: that of the value date, unless the turn of the year is between. */
function bookingDay(valued: string, booked: string | undefined): string | undefined {
  const year = Number(valued.slice(0, 2)) + (Number(valued.slice(0, 2)) >= 80 ? 1_900 : 2_000)
  const month = valued.slice(2, 4)
  if (booked === undefined) return day?.(`${year}-${month}-${valued.slice(4)}`)
  const bookedMonth = booked.slice(0, 2)
  const shift =
    Number(bookedMonth) - Number(month) > 6 ? -1 : Number(month) - Number(bookedMonth) > 6 ? 1 : 0
  return day?.(`${year + shift}-${bookedMonth}-${booked.slice(2)}`)
}

/** What field 86 says about a booking. */
export interface Purpose {
  readonly references: Partial<Record<Mt940Reference, string>>
  /** For people. */
  readonly text: string
}

const NAMES: readonly Mt940Reference[] = ['EREF', 'KREF', 'MREF']

/** Sub-fields of text: 20 to 29 and 60 to 63, in parts of 27 characters that belong together. */
const SUBFIELD = /\?(\d\d)/
const isText = (code: string) => /^(?:2\d|6[0-3])$/.test(code)

/** What begins a part of the text, as German banks write it: `EREF+…SVWZ+…`. */
const KEYED = /(EREF|KREF|MREF|CRED|DEBT|COAM|OAMT|SVWZ|ABWA|ABWE|IBAN|BIC)\+/
/** And others: `/EREF/…/REMI/…`. */
const SLASHED = /\/([A-Z]{2,5})\/([^/]*)/g

/** Reads field 86: sub-fields, words before each part, or just text. */
export function readPurpose(lines: readonly string[]): Purpose {
  const whole = lines.join('')
  const text = /^\d{3}\?/.test(whole) || /^\?\d\d/.test(whole) ? textOfSubfields(whole) : whole
  const references = { ...slashedReferences(text), ...keyedReferences(text) }
  // Lines of free text are words apart; those of parts are not.
  return { references, text: text === whole ? lines.join(' ') : text }
}

function textOfSubfields(whole: string): string {
  const [, ...parts] = whole.split(SUBFIELD)
  let text = ''
  for (let i = 0; i + 1 < parts.length; i += 2) {
    if (isText(parts[i] ?? '')) text += parts[i + 1] ?? ''
  }
  return text
}

function keyedReferences(text: string): Purpose['references'] {
  const [, ...parts] = text.split(KEYED)
  const references: Partial<Record<Mt940Reference, string>> = {}
  for (let i = 0; i + 1 < parts.length; i += 2) {
    const name = NAMES.find((each) => each === parts[i])
    const value = parts[i + 1]?.trim() ?? ''
    if (name !== undefined && value !== '') references[name] ??= value
  }
  return references
}

function slashedReferences(text: string): Purpose['references'] {
  const references: Partial<Record<Mt940Reference, string>> = {}
  for (const [, name, value = ''] of text.matchAll(SLASHED)) {
    const known = NAMES.find((each) => each === name)
    if (known !== undefined && value.trim() !== '') references[known] ??= value.trim()
  }
  return references
}
