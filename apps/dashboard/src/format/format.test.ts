import { expect, test } from 'vitest'
import { formatMoney, parseMoney, plainMoney, setMinorUnits } from './money.ts'
import { formatDuration, formatRelative } from './number.ts'

setMinorUnits({ EUR: 2, HUF: 2, IQD: 3, JPY: 0, KWD: 3, UYW: 4, USD: 2 })

test.each([
  [0, '0 ms'],
  [850, '850 ms'],
  [2_500, '2.5 s'],
  [59_999, '59 s'],
  [60_000, '1 min'],
  [95_000, '1 min 35 s'],
  [12_000_000, '3 h 20 min'],
  [90_000_000, '1 d 1 h'],
  [-60_000, '-1 min'],
  [Number.NaN, '–'],
])('%d ms are %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text)
})

test.each([
  [0, 'now'],
  [-5_400, '5 s ago'],
  [-3_600_000, '1 h ago'],
  [21_600_000, 'in 6 h'],
])('%d ms from now is %s', (ms, text) => {
  expect(formatRelative(1_000_000_000 + ms, 1_000_000_000)).toBe(text)
})

test.each([
  [1_050, 'EUR', '€10.50'],
  [1_050, 'JPY', '¥1,050'],
  [1_050, 'KWD', 'KWD\u00a01.050'],
  [1_050, 'HUF', 'HUF\u00a010.50'],
  [1_050, 'IQD', 'IQD\u00a01.050'],
  [1_050, 'UYW', 'UYW\u00a00.1050'],
  [-1, 'USD', '-$0.01'],
  [5, 'XAU', '5 XAU'],
  [5, 'rubbish', '5 rubbish'],
])('%d of %s are %s', (minor, currency, text) => {
  expect(formatMoney(minor, currency, 'en')).toBe(text)
})

test('a sum that is too large for a number keeps its cents', () => {
  expect(formatMoney('900719925474099123', 'EUR', 'en')).toBe('€9,007,199,254,740,991.23')
  expect(formatMoney('-1250', 'EUR', 'en')).toBe('-€12.50')
  expect(formatMoney('1250', 'JPY', 'en')).toBe('¥1,250')
})

test.each([
  ['12.50', 'EUR', 1_250],
  ['12,5', 'EUR', 1_250],
  ['12', 'EUR', 1_200],
  ['0.07', 'EUR', 7],
  ['1,234', 'EUR', 123_400],
  ['1,234.5', 'EUR', 123_450],
  ['1.234.567,89', 'EUR', 123_456_789],
  ["1'234.50", 'EUR', 123_450],
  ['1 234,50', 'EUR', 123_450],
  ['1200', 'JPY', 1_200],
  ['1,200', 'JPY', 1_200],
  ['12.5', 'JPY', undefined],
  ['1.5', 'KWD', 1_500],
  ['1.234', 'KWD', 1_234],
  ['1,234.567', 'KWD', 1_234_567],
  ['12.505', 'EUR', 1_250_500],
  ['12.5051', 'EUR', undefined],
  ['12.', 'EUR', undefined],
  ['1,23,456', 'EUR', undefined],
  ['-5', 'EUR', undefined],
  ['abc', 'EUR', undefined],
  ['5', 'XAU', undefined],
])('%s %s are %s minor units', (text, currency, minor) => {
  expect(parseMoney(text, currency)).toBe(minor)
})

test('a field shows what it reads', () => {
  for (const [minor, currency, text] of [
    [1_250, 'EUR', '12.50'],
    [7, 'EUR', '0.07'],
    [1_200, 'JPY', '1200'],
    [1_234, 'KWD', '1.234'],
  ] as const) {
    expect(plainMoney(minor, currency)).toBe(text)
    expect(parseMoney(text, currency)).toBe(minor)
  }
})
