import { expect, test } from 'vitest'
import { type Condition, conditionOf, rowOf, sentenceOfCondition } from './filter-editor.tsx'

test.each<[Condition, string]>([
  [{ path: '/data/amount', atLeast: 100 }, '/data/amount is at least 100'],
  [{ path: '/data/currency', in: ['EUR', 'USD'] }, '/data/currency is one of EUR, USD'],
  [{ path: '/data/paid', equals: true }, '/data/paid is true'],
  [{ path: '/data/note', notEquals: null }, '/data/note is not null'],
  [{ path: '/data/note', exists: false }, '/data/note is not there'],
])('%j is written, read and said', (condition, sentence) => {
  expect(conditionOf(rowOf(condition))).toEqual(condition)
  expect(sentenceOfCondition(condition)).toBe(sentence)
})

test('a number in quotes stays a text', () => {
  const row = { path: '/data/code', comparison: 'equals', value: '"007"' } as const
  expect(conditionOf(row)).toEqual({ path: '/data/code', equals: '007' })
})
