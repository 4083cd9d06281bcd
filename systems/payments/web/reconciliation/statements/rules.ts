import type { Answer } from '@posthorn/dashboard/kit'
import { AMOUNT_COLUMNS } from '../../../reconciliation/profiles/standard.ts'

export type Profile = Answer<'/api/v1/reconciliation-profiles/{id}'>
export type Rules = Profile['rules']

export type ColumnName = keyof Rules['columns']

export const COLUMN_WORDS: Readonly<Record<ColumnName, string>> = {
  externalTransactionId: 'Transaction id',
  date: 'Date',
  currency: 'Currency',
  amount: 'Amount',
  debit: 'Debit',
  credit: 'Credit',
  flag: 'Flag',
}

/** A column by its name, or by its position where only digits are given. */
export function columnIn(text: string): string | number {
  return /^\d+$/.test(text.trim()) ? Number(text) : text.trim()
}

/** Rules with only the fields that they use; the form keeps the others. */
export function trimmed(rules: Rules): Rules {
  const { columns, sign, currency, debitFlags, creditFlags, ...others } = rules
  const { camtReferences, mt940References, textPattern, balances, ...rest } = others
  const wanted: readonly string[] = ['externalTransactionId', 'date', ...AMOUNT_COLUMNS[sign]]
  const kept = Object.entries(columns).filter(
    ([name, column]) =>
      column !== '' && (wanted.includes(name) || (name === 'currency' && !currency)),
  )
  return {
    ...rest,
    sign,
    columns: Object.fromEntries(kept) as Rules['columns'],
    ...(currency && { currency }),
    ...(sign === 'flag' && debitFlags && { debitFlags: filled(debitFlags) }),
    ...(sign === 'flag' && creditFlags && { creditFlags: filled(creditFlags) }),
    ...(camtReferences && camtReferences.length > 0 && { camtReferences }),
    ...(mt940References && mt940References.length > 0 && { mt940References }),
    ...(textPattern && { textPattern }),
    ...(balances === 'require' && { balances }),
  }
}

/** While the user types, the flag after the last comma is empty. */
function filled(flags: readonly string[]): string[] {
  return flags.filter((flag) => flag !== '')
}
