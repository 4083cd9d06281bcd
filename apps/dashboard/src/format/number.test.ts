import { expect, test } from 'vitest'
import { formatBytes, formatCount, formatRate, formatShare } from './number.ts'

test.each([
  [0, '0'],
  [1_204, '1,204'],
  [999_999, '999,999'],
  [12_345_678, '12.3M'],
])('%d is %s', (n, text) => {
  expect(formatCount(n)).toBe(text)
})

test('rates and shares', () => {
  expect([0, 0.005, 0.0125, 0.25, 1.25].map((rate) => formatRate(rate))).toEqual([
    ...['0/s', '0.005/s', '0.013/s', '0.25/s', '1.3/s'],
  ])
  expect(formatRate(0.5, 'min')).toBe('0.5/min')
  expect(formatRate(1_500)).toBe('1,500/s')
  expect(formatShare(0.031)).toBe('3.1%')
})

test.each([
  [0, '0 B'],
  [512, '512 B'],
  [1_540, '1.5 kB'],
  [12_400_000, '12 MB'],
  [3_000_000_000, '3.0 GB'],
])('%d bytes are %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text)
})
