import { expect, test } from 'vitest'
import { amountsIn, amountText } from './search-text.ts'

test('an amount is meant in the digits of each currency', () => {
  const of = (text: string) => JSON.parse(amountsIn(text) ?? 'null') as Record<string, number>
  expect(of('12.50')).toMatchObject({ EUR: 1_250, KWD: 12_500, CLF: 125_000 })
  expect(of('12.50')).not.toHaveProperty('JPY')
  expect(of('12,00')).toMatchObject({ EUR: 1_200, JPY: 12 })
  expect(of('0.1')).toMatchObject({ EUR: 10 })
  expect(of('1.2345')).toEqual({ CLF: 12_345, UYW: 12_345 })
  for (const text of ['', 'twelve', '1.23456', '-1', '1e3']) expect(amountsIn(text)).toBe(null)
})

test('an amount is written with the digits of its currency', () => {
  expect(amountText('1250', 'EUR')).toBe('12.50 EUR')
  expect(amountText(1_200, 'JPY')).toBe('1200 JPY')
  expect(amountText(12_500, 'KWD')).toBe('12.500 KWD')
})
