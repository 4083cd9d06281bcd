import { exponentOf } from '@posthorn/system'
import { readAmount, type NumberStyle } from '../profiles/amount.ts'

/** An amount as it stands in a statement. */
export interface RawAmount {
  readonly text: string
  readonly currency: string | undefined
}

/** In minor units with its sign; or which field is wrong, and why. */
export type SignedAmount =
  | { readonly amount: number; readonly currency: string }
  | { readonly field: 'amount' | 'sign'; readonly mistake: string }

const POINT: NumberStyle = { decimal: '.', thousands: '' }
const COMMA: NumberStyle = { decimal: ',', thousands: '' }

/** An amount of ISO 20022 and whether it is credit or debit. */
export function readSigned(raw: RawAmount | undefined, sign: string | undefined): SignedAmount {
  if (raw === undefined) return { field: 'amount', mistake: 'is missing' }
  const { currency } = raw
  const exponent = currency === undefined ? undefined : exponentOf(currency)
  if (currency === undefined || exponent === undefined) {
    const mistake = currency === undefined ? 'has no currency' : 'is in no currency of ISO 4217'
    return { field: 'amount', mistake }
  }
  const amount = readAmount(raw.text, POINT, exponent)
  if (typeof amount === 'string') return { field: 'amount', mistake: amount }
  if (amount < 0) return { field: 'amount', mistake: 'has a sign' }
  if (sign !== 'CRDT' && sign !== 'DBIT') {
    return {
      field: 'sign',
      mistake: sign === undefined ? 'is missing' : 'is neither CRDT nor DBIT',
    }
  }
  return { amount: sign === 'DBIT' && amount !== 0 ? -amount : amount, currency }
}

/** An amount of MT940, which always has its comma: `100,`. */
export function readCommaAmount(text: string, currency: string): number | string {
  const plain = text.endsWith(',') ? text.slice(0, -1) : text
  return readAmount(plain, COMMA, exponentOf(currency) ?? 2)
}
