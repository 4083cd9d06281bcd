import type { Rules } from './rules.ts'

/** A value of a rule, and how people call it. */
export interface Choice<Value> {
  readonly value: Value
  readonly label: string
}

export const DELIMITERS: readonly Choice<Rules['delimiter']>[] = [
  { value: ',', label: 'comma' },
  { value: ';', label: 'semicolon' },
  { value: '\t', label: 'tab' },
  { value: '|', label: 'bar' },
]

export const ENCODINGS: readonly Choice<Rules['encoding']>[] = [
  { value: 'utf-8', label: 'UTF-8' },
  { value: 'windows-1252', label: 'Windows-1252, Latin-1' },
]

export const DECIMALS: readonly Choice<Rules['decimal']>[] = [
  { value: '.', label: 'point: 1234.50' },
  { value: ',', label: 'comma: 1234,50' },
]

export const THOUSANDS: readonly Choice<Rules['thousands']>[] = [
  { value: '', label: 'nothing' },
  { value: '.', label: 'point' },
  { value: ',', label: 'comma' },
  { value: ' ', label: 'blank' },
  { value: "'", label: 'apostrophe' },
]

export const SIGNS: readonly Choice<Rules['sign']>[] = [
  { value: 'signed', label: 'in the amount' },
  { value: 'debit-credit', label: 'by the column: debit or credit' },
  { value: 'flag', label: 'in a column of its own' },
]
