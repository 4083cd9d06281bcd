import { Type } from 'typebox'
import { expect, test } from 'vitest'
import { decodeCursor } from './cursor.ts'
import { toPage } from './paging.ts'

const shape = { item: (n: number) => ({ n }), after: (n: number) => n }

test('one row too many is another page, and its cursor is that of the last row shown', () => {
  const { items, nextCursor } = toPage([9, 8, 7], 2, shape)
  expect(items).toEqual([{ n: 9 }, { n: 8 }])
  expect(decodeCursor(nextCursor ?? '', Type.Tuple([Type.Integer()]))).toEqual([8])
})

test.each([[[9, 8]], [[9]], [[]]])('%j is the last page', (rows) => {
  expect(toPage(rows, 2, shape)).toEqual({ items: rows.map((n) => ({ n })), nextCursor: null })
})
