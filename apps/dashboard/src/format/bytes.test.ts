import { expect, test } from 'vitest'
import { formatBytes } from './bytes.ts'

test.each([
  [0, '0 B'],
  [512, '512 B'],
  [1_540, '1.5 kB'],
  [12_400_000, '12 MB'],
  [3_000_000_000, '3.0 GB'],
])('%d bytes are %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text)
})
