import { expect, test } from 'vitest'
import { chosenColumns, fitting, layoutIn, nextSort, sortRows, tracksOf } from './layout.ts'
import type { Column } from './columns.tsx'

interface Row {
  readonly id: string
  readonly tries: number | null
  readonly made: string
}

const COLUMNS: readonly Column<Row>[] = [
  { id: 'id', title: 'Id', cell: ({ id }) => id, sortBy: ({ id }) => id },
  { id: 'tries', title: 'Tries', cell: ({ tries }) => tries, sortBy: ({ tries }) => tries },
  { id: 'made', title: 'Made', narrow: 'hidden', cell: ({ made }) => made },
]

const ROWS: readonly Row[] = [
  { id: 'row-10', tries: null, made: 'c' },
  { id: 'row-9', tries: 2, made: 'b' },
  { id: 'row-1', tries: 11, made: 'a' },
]

test('rows are sorted by numbers as numbers, and what has no value comes last', () => {
  const idsBy = (column: string, order: 'up' | 'down') =>
    sortRows(ROWS, COLUMNS, { column, order }).map(({ id }) => id)
  expect(idsBy('tries', 'down')).toEqual(['row-1', 'row-9', 'row-10'])
  expect(idsBy('tries', 'up')).toEqual(['row-9', 'row-1', 'row-10'])
  expect(idsBy('id', 'up')).toEqual(['row-1', 'row-9', 'row-10'])
})

test('a column that is gone, or has no order, leaves the rows as they are', () => {
  expect(sortRows(ROWS, COLUMNS, { column: 'made', order: 'up' })).toBe(ROWS)
  expect(sortRows(ROWS, COLUMNS, { column: 'gone', order: 'up' })).toBe(ROWS)
  expect(sortRows(ROWS, COLUMNS, undefined)).toBe(ROWS)
})

test('a column that was chosen is shown where there is little room too', () => {
  const columns = chosenColumns(COLUMNS, { shown: { id: false, made: true } })
  expect(columns.map(({ id, narrow }) => [id, narrow])).toEqual([
    ['tries', undefined],
    ['made', undefined],
  ])
  const none = { id: false, tries: false, made: false }
  expect(chosenColumns(COLUMNS, { shown: none })).toBe(COLUMNS)
})

test('what a browser kept is read with care', () => {
  const kept = { shown: { id: false, made: 'yes' }, sort: { column: 'id', order: 'up' } }
  expect(layoutIn(kept)).toEqual({ shown: { id: false }, sort: { column: 'id', order: 'up' } })
  const wrong = [undefined, null, 'x', 7, [], { shown: null, sort: 'id' }, { sort: { column: 1 } }]
  for (const each of wrong) expect(layoutIn(each)).toEqual({ shown: {} })
})

test('a title goes from highest first to lowest first to the order of the list', () => {
  const once = nextSort('id', undefined)
  expect(once).toEqual({ column: 'id', order: 'down' })
  expect(nextSort('id', once)).toEqual({ column: 'id', order: 'up' })
  expect(nextSort('id', { column: 'id', order: 'up' })).toBeUndefined()
  expect(nextSort('tries', once)).toEqual({ column: 'tries', order: 'down' })
})

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
