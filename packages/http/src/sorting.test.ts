import { Type } from 'typebox'
import { expect, test } from 'vitest'
import { encodeCursor } from './cursor.ts'
import { sortable } from './sorting.ts'

const { page, placeIn } = sortable(['-n', 'n'])
const Place = Type.Integer()
const shape = { item: (n: number) => n, after: (n: number) => n }

test('a cursor goes on in the order that it was given out in, and in no other', () => {
  const down = page([9, 8, 7], { sort: '-n', limit: 2 }, shape)
  const up = page([1, 2, 3], { sort: 'n', limit: 2 }, shape)
  expect([down.items, up.items]).toEqual([
    [9, 8],
    [1, 2],
  ])
  const [before, after] = [down.nextCursor ?? '', up.nextCursor ?? '']
  expect(placeIn({ sort: '-n', cursor: before, limit: 2 }, Place)).toBe(8)
  expect(placeIn({ sort: 'n', cursor: after, limit: 2 }, Place)).toBe(2)
  const refused = expect.objectContaining({ code: 'CURSOR_INVALID', status: 400 })
  for (const [sort, cursor] of [
    ['n', before],
    ['-n', after],
    ['n', encodeCursor([2, '-n'])],
    ['-n', encodeCursor([2, '-n'])],
  ] as const) {
    expect(() => placeIn({ sort, cursor, limit: 2 }, Place), `${sort} ${cursor}`).toThrow(refused)
  }
})

test('the usual order has the cursors that a list without a choice has', () => {
  expect(page([9, 8, 7], { sort: '-n', limit: 2 }, shape).nextCursor).toBe(encodeCursor([8]))
  expect(page([9, 8], { sort: 'n', limit: 2 }, shape).nextCursor).toBeNull()
  expect(placeIn({ sort: 'n', limit: 2 }, Place)).toBeNull()
})
