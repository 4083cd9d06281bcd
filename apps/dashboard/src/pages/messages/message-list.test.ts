import { expect, test } from 'vitest'
import { followRows } from './message-list.tsx'

const row = (id: string, second: number, state = 'PENDING') => ({
  id,
  state,
  createdAt: `2026-11-15T12:00:0${second}Z`,
})
const idOf = ({ id }: { id: string }) => id

test('rows keep their places and change their state; those that came are counted', () => {
  const shown = [row('b', 2), row('a', 1)]
  const newest = [row('d', 4), row('c', 3), row('b', 2, 'SENT')]
  expect(followRows(shown, newest, idOf)).toEqual({
    rows: [row('b', 2, 'SENT'), row('a', 1)],
    newCount: 2,
  })
})

test('an older one that comes into the filter is not new', () => {
  expect(followRows([row('b', 2)], [row('b', 2), row('a', 1)], idOf).newCount).toBe(0)
})
