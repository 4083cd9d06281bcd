import { expect, test } from 'vitest'
import { STANDARD_RULES } from '../../../reconciliation/profiles/standard.ts'
import { columnIn, trimmed } from './rules.ts'

test('a column is a name, or a position where only digits are given', () => {
  expect(columnIn(' Betrag ')).toBe('Betrag')
  expect(columnIn('3')).toBe(3)
})

test('only the columns that the sign needs are kept', () => {
  const columns = { ...STANDARD_RULES.columns, debit: 'Soll', credit: 'Haben', flag: 'S/H' }
  const kept = trimmed({ ...STANDARD_RULES, columns, sign: 'debit-credit', debitFlags: ['S'] })
  expect(Object.keys(kept.columns).toSorted()).toEqual([
    'credit',
    'currency',
    'date',
    'debit',
    'externalTransactionId',
  ])
  expect(kept.debitFlags).toBeUndefined()
})

test('a currency for every row takes the place of its column', () => {
  const kept = trimmed({ ...STANDARD_RULES, currency: 'EUR' })
  expect(kept.columns.currency).toBeUndefined()
  expect(kept.currency).toBe('EUR')
})
