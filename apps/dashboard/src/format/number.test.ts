import { expect, test } from 'vitest'
import { formatCount, formatRate, formatShare } from './number.ts'

test.each([
  [0, '0'],
  [1_204, '1,204'],
  [999_999, '999,999'],
  [12_345_678, '12.3M'],
])('%d is %s', (n, text) => {
  expect(formatCount(n)).toBe(text)
})

test('rates and shares', () => {
  expect(formatRate(0.25)).toBe('0.3/s')
  expect(formatRate(1_500)).toBe('1,500/s')
  expect(formatShare(0.031)).toBe('3.1%')
})
