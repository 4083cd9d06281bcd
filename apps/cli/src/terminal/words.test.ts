import { expect, test } from 'vitest'
import { cut, renderTable } from './table.ts'
import { explain } from '../errors.ts'
import { pluralise, duration, nearest, oneLine, shortNumber } from './words.ts'

test.each([
  [-3, '0s'],
  [0.4, '0s'],
  [59.4, '59s'],
  [60, '1m'],
  [200, '3m 20s'],
  [3_600, '1h'],
  [7_530, '2h 5m'],
  [86_400 * 12 + 7_200, '12d 2h'],
])('%d seconds are %s', (seconds, text) => {
  expect(duration(seconds)).toBe(text)
})

test('numbers are readable', () => {
  expect([99_999, 123_456, 12_345_678].map(shortNumber)).toEqual(['99,999', '123.5K', '12.3M'])
  expect([1, 0, 1_000].map((n) => pluralise(n, 'message'))).toEqual([
    '1 message',
    '0 messages',
    '1,000 messages',
  ])
})

test("others' text cannot move the cursor or hide what follows", () => {
  expect(oneLine('a\r\n\tb\x1b[2J\u202ec\x9b')).toBe('a b[2Jc')
})

test('the nearest word is offered, and none that is far away', () => {
  const names = ['shop.warehouse-instructions', 'depot.events', 'shop.deliveries']
  expect(nearest('depo.event', names)).toBe('depot.events')
  expect(nearest('shop.warehouse-ins', names)).toBe('shop.warehouse-instructions')
  expect(nearest('zzz', names)).toBeUndefined()
  expect(nearest('x', [])).toBeUndefined()
})

test('a table is as wide as its fields, and its last one is cut to the screen', () => {
  const columns = ['A', '>N', 'TEXT']
  const rows = [
    ['one', '7', 'a long sentence'],
    [undefined, '12', ''],
  ]
  const paint = (_: unknown, text: string) => text
  expect(renderTable(columns, rows, { paint, width: undefined })).toEqual([
    'A     N  TEXT',
    'one   7  a long sentence',
    '–    12  –',
  ])
  expect(renderTable(columns, rows, { paint, width: 20 })[1]).toBe('one   7  a long sen…')
  expect(cut('abc', 2)).toBe('a…')
})

test('errors are sentences without passwords', () => {
  const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
  expect(explain(new AggregateError([refused]))).toContain('is the database running?')
  expect(explain(new Error('postgres://me:secret@db/x is wrong'))).toBe(
    'postgres://me:…@db/x is wrong',
  )
  expect(explain('text')).toBe('text')
})
