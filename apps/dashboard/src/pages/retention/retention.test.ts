import { expect, test } from 'vitest'
import { keepWords } from './retention.tsx'

test.each([
  ['90d', '90 days'],
  ['3650d', '3,650 days'],
  ['1h', '1 hour'],
  ['0d', 'not kept'],
  ['forever', 'forever'],
])('%s is %s', (keep, words) => {
  expect(keepWords(keep)).toBe(words)
})
