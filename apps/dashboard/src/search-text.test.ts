import { expect, test } from 'vitest'
import { moment, oneOf, text, valuesIn } from './parts/act/filter-bar.tsx'
import { parseSearch, stringifySearch } from './search-text.ts'

test.each([
  ['', {}],
  ['?search=a+b&state=dead', { search: 'a b', state: 'dead' }],
  ['?search=%7B%22a%22%3A1%7D', { search: '{"a":1}' }],
  ['?id=007', { id: '007' }],
])('%s stays the text it is', (address, fields) => {
  expect(parseSearch(address)).toEqual(fields)
  expect(parseSearch(stringifySearch(fields))).toEqual(fields)
})

test('leaves out what is empty or no text', () => {
  expect(stringifySearch({ a: '', b: undefined, c: null, d: 7, e: 'x' })).toBe('?e=x')
})

test.each([
  [
    { search: ' x ', state: 'dead', since: '2026-11-15' },
    { search: 'x', state: 'dead', since: '2026-11-15T00:00:00.000Z' },
  ],
  [{ search: '   ', state: 'rubbish', since: 'yesterday' }, {}],
  [{ search: 'x'.repeat(501), state: 7, other: 'y' }, {}],
])('of %j the filter takes %j', (search, values) => {
  const fields = { search: text, state: oneOf(['dead', 'sent']), since: moment }
  expect(valuesIn(search, fields)).toEqual(values)
})
