import { expect, test } from 'vitest'
import { differenceOf, firstGuess, payable } from './matching.tsx'

const payment = (id: string, amount: number, currency = 'EUR') => ({ id, amount, currency })

test('only payments of the currency can be chosen, each once', () => {
  const nearest = payment('a', 500)
  const record = { currency: 'EUR', payments: [nearest] }
  const missing = [nearest, payment('b', 100), payment('c', 100, 'USD')]
  expect(payable(record, missing).map(({ id }) => id)).toEqual(['a', 'b'])
})

test('the first guess is the nearest payment, not all that are suggested', () => {
  const payments = [payment('a', 500), payment('b', 100), payment('c', 100, 'USD')]
  const guess = (paymentId: string | null) => firstGuess({ currency: 'EUR', payments }, paymentId)
  expect(guess('a')).toEqual(['a'])
  expect(guess('c')).toEqual([])
  expect(guess(null)).toEqual([])
})

test('what the bank kept is a negative difference', () => {
  const payments = [payment('a', 4_000), payment('b', 2_000)]
  expect(differenceOf(5_850, payments, [])).toBe(-150)
  expect(differenceOf(5_850, payments, [payment('r', 150)])).toBe(0)
  expect(differenceOf(-300, [], [payment('r', 300)])).toBe(0)
})
