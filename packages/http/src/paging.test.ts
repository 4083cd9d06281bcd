import * as fc from 'fast-check'
import { Type } from 'typebox'
import { expect, test } from 'vitest'
import { decodeCursor, toPage, encodeCursor, sortable } from './paging.ts'

const shape = { item: (n: number) => ({ n }), after: (n: number) => n }

test('one row too many is another page, and its cursor is that of the last row shown', () => {
  const { items, nextCursor } = toPage([9, 8, 7], 2, shape)
  expect(items).toEqual([{ n: 9 }, { n: 8 }])
  expect(decodeCursor(nextCursor ?? '', Type.Tuple([Type.Integer()]))).toEqual([8])
})

test.each([[[9, 8]], [[9]], [[]]])('%j is the last page', (rows) => {
  expect(toPage(rows, 2, shape)).toEqual({ items: rows.map((n) => ({ n })), nextCursor: null })
})

const Place = Type.Tuple([Type.String({ format: 'date-time' }), Type.String({ maxLength: 40 })])

test('a cursor is a word that means where a page ended', () => {
  const values = ['2026-01-01T00:00:00.000Z', 'é']
  expect(encodeCursor(values)).toMatch(/^[\w-]+$/)
  expect(decodeCursor(encodeCursor(values), Place)).toEqual(values)
})

test.each([
  '',
  'rubbish',
  '!!!',
  encodeCursor([]),
  encodeCursor(['2026-01-01T00:00:00.000Z']),
  encodeCursor(['2026-01-01T00:00:00.000Z', 'a', 'b']),
  encodeCursor(['yesterday', 'a']),
  encodeCursor(['2026-01-01T00:00:00.000Z', 7]),
  encodeCursor(['2026-01-01T00:00:00.000Z', 'a\0']),
  encodeCursor(['2026-01-01T00:00:00.000Z', 'a']).concat('='),
  Buffer.from('["2026-01-01T00:00:00.000Z","\\ud800"]').toString('base64url'),
  Buffer.from('{"0":"2026-01-01T00:00:00.000Z","1":"a","length":2}').toString('base64url'),
])('%j is refused', (cursor) => {
  expect(() => decodeCursor(cursor, Place)).toThrow(
    expect.objectContaining({ code: 'CURSOR_INVALID', status: 400 }),
  )
})

test('no word ever does more than be refused', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.base64String()), (cursor) => {
      expect(() => decodeCursor(cursor, Place)).toThrow(
        expect.objectContaining({ code: 'CURSOR_INVALID' }),
      )
    }),
  )
})

const { page, placeIn } = sortable(['-n', 'n'])
const N = Type.Integer()
const plain = { item: (n: number) => n, after: (n: number) => n }

test('a cursor goes on in the order that it was given out in, and in no other', () => {
  const down = page([9, 8, 7], { sort: '-n', limit: 2 }, plain)
  const up = page([1, 2, 3], { sort: 'n', limit: 2 }, plain)
  expect([down.items, up.items]).toEqual([
    [9, 8],
    [1, 2],
  ])
  const [before, after] = [down.nextCursor ?? '', up.nextCursor ?? '']
  expect(placeIn({ sort: '-n', cursor: before, limit: 2 }, N)).toBe(8)
  expect(placeIn({ sort: 'n', cursor: after, limit: 2 }, N)).toBe(2)
  const refused = expect.objectContaining({ code: 'CURSOR_INVALID', status: 400 })
  for (const [sort, cursor] of [
    ['n', before],
    ['-n', after],
    ['n', encodeCursor([2, '-n'])],
    ['-n', encodeCursor([2, '-n'])],
  ] as const) {
    expect(() => placeIn({ sort, cursor, limit: 2 }, N), `${sort} ${cursor}`).toThrow(refused)
  }
})

test('the usual order has the cursors that a list without a choice has', () => {
  expect(page([9, 8, 7], { sort: '-n', limit: 2 }, plain).nextCursor).toBe(encodeCursor([8]))
  expect(page([9, 8], { sort: 'n', limit: 2 }, plain).nextCursor).toBeNull()
  expect(placeIn({ sort: 'n', limit: 2 }, N)).toBeNull()
})
