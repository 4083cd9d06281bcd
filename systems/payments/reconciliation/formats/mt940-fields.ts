import { datePattern } from '../profiles/date-pattern.ts'
import type { Mt940Reference } from './references.ts'
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
