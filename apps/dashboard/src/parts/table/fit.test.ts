import { expect, test } from 'vitest'
import type { Column } from './column.ts'
import { fitting, tracksOf } from './fit.ts'

const column = (id: string, more: Partial<Column<string>> = {}): Column<string> => ({
  ...{ id, title: id, cell: () => id },
  ...more,
})

const columns = [
  column('line', { width: '60px' }),
  column('age', { width: '100px', narrow: 'hidden' }),
  column('id', { width: 'minmax(80px, 2fr)' }),
  column('amount', { width: '100px', narrow: 'hidden' }),
]

const idsIn = (room: number, selectable: 'yes' | 'no' = 'no') =>
  fitting(columns, room, selectable).map(({ id }) => id)

test('columns that may be left out are, as many as it takes, the last ones first', () => {
  // 60 + 100 + 80 + 100, three gaps of 12 and twice a padding of 12.
  expect(idsIn(400)).toEqual(['line', 'age', 'id', 'amount'])
  expect(idsIn(399)).toEqual(['line', 'age', 'id'])
  expect(idsIn(400, 'yes')).toEqual(['line', 'age', 'id'])
  expect(idsIn(250)).toEqual(['line', 'id'])
  expect(idsIn(10)).toEqual(['line', 'id'])
  expect(idsIn(Number.POSITIVE_INFINITY)).toHaveLength(4)
})

test('a column without a least width has one', () => {
  expect(tracksOf([column('a'), column('b', { width: '90px' })], 'yes')).toBe(
    '28px minmax(72px, 1fr) 90px',
  )
})
