import { useLocalStorage } from '@mantine/hooks'
import { useMemo } from 'react'
import { useClaims } from '../../session/session-context.tsx'
import type { Column } from './columns.tsx'
import type { List, Sorts, SortWord } from './list.ts'

/** What a user wants to see of a table; what is left out is as the page has it. */
export interface StoredLayout {
  /** By column: shown, also where there is little room, or not shown. */
  readonly shown: Readonly<Record<string, boolean>>
  readonly sort?: Sort
}

export interface Sort {
  readonly column: string
  readonly order: 'up' | 'down'
}

export interface Layout {
  readonly stored: StoredLayout
  /** All there are, for a menu. */
  readonly all: readonly { readonly id: string; readonly title: string }[]
  readonly isShown: (id: string) => boolean
  /** By the server, or here while all rows are. */
  readonly canSort: (id: string) => boolean
  readonly set: (layout: StoredLayout) => void
  /** Whether the user has chosen something. */
  readonly isChanged: boolean
}

interface TableOptions<Row> {
  /** The layout's name in this browser. */
  readonly name: string
  readonly list: List<Row>
  readonly columns: readonly Column<Row>[]
}

const AS_IT_IS: StoredLayout = { shown: {} }

/** A list as its table shows it: columns and order as this user wants them in this browser. */
export function useTable<Row>({ name, list, columns }: TableOptions<Row>) {
  const [stored, setStored] = useStored(name)
  const shown = useMemo(() => chosenColumns(columns, stored), [columns, stored])
  const { sorts = {}, hasMore } = list
  const isServers = (id: string) => Object.hasOwn(sorts, id)
  // What the server has sorted stays so; a part of a list is not sorted here.
  const own = stored.sort && !isServers(stored.sort.column) && !hasMore ? stored.sort : undefined
  const rows = useMemo(() => sortRows(list.rows, columns, own), [list.rows, columns, own])
  const layout: Layout = {
    stored,
    all: columns,
    isShown: (id) => stored.shown[id] !== false,
    canSort: (id) =>
      isServers(id) || (!hasMore && columns.some((each) => each.id === id && each.sortBy)),
    set: setStored,
    isChanged: Object.keys(stored.shown).length > 0 || stored.sort !== undefined,
  }
  return { list: { ...list, rows }, columns: shown, layout }
}

/** Where a browser keeps the layout of a table. */
function useStored(name: string): [StoredLayout, (layout: StoredLayout) => void] {
  const { sub, org } = useClaims()
  const [kept, setKept] = useLocalStorage<unknown>({
    key: `posthorn:layout:${org}:${sub}:${name}`,
    defaultValue: AS_IT_IS,
    // At once: a list must not be asked for twice, in two orders.
    getInitialValueInEffect: false,
  })
  return [useMemo(() => layoutIn(kept), [kept]), setKept]
}

/** How a list is to be asked for, as its table is sorted; undefined for the order that it has. */
export function useSort<const Field extends string>(
  name: string,
  sorts: Sorts<Field>,
): SortWord<Field> | undefined {
  const [{ sort }] = useStored(name)
  const field = sort && Object.hasOwn(sorts, sort.column) ? sorts[sort.column] : undefined
  if (field === undefined) return undefined
  return sort?.order === 'up' ? field : `-${field}`
}

/** A layout as a browser kept it, which may be of another version or made by hand. */
export function layoutIn(kept: unknown): StoredLayout {
  const { shown, sort } = (typeof kept === 'object' && kept !== null ? kept : {}) as {
    readonly shown?: unknown
    readonly sort?: { readonly column?: unknown; readonly order?: unknown }
  }
  const choices = typeof shown === 'object' && shown !== null ? Object.entries(shown) : []
  const { column, order } = typeof sort === 'object' && sort !== null ? sort : {}
  return {
    shown: Object.fromEntries(choices.filter(([, choice]) => typeof choice === 'boolean')),
    ...(typeof column === 'string' &&
      (order === 'up' || order === 'down') && { sort: { column, order } }),
  }
}

/** Never none: a table without columns could not be mended by its user. */
export function chosenColumns<Row>(
  columns: readonly Column<Row>[],
  { shown }: StoredLayout,
): readonly Column<Row>[] {
  const left = columns.flatMap(({ narrow, ...column }) => {
    if (shown[column.id] === false) return []
    const hides = narrow !== undefined && shown[column.id] !== true
    return [{ ...column, ...(hides && { narrow }) }]
  })
  return left.length === 0 ? columns : left
}

/** The rows by one column; those without a value come last in both orders. */
export function sortRows<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  sort: Sort | undefined,
): readonly Row[] {
  const sortBy = columns.find(({ id }) => id === sort?.column)?.sortBy
  if (sort === undefined || sortBy === undefined) return rows
  const sign = sort.order === 'up' ? 1 : -1
  const keyed = rows.map((row) => ({ row, value: sortBy(row) ?? undefined }))
  return keyed
    .toSorted(({ value: a }, { value: b }) => {
      if (a === undefined || b === undefined) return a === b ? 0 : a === undefined ? 1 : -1
      return sign * compare(a, b)
    })
    .map(({ row }) => row)
}

function compare(a: string | number, b: string | number): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  return String(a).localeCompare(String(b), 'en', { numeric: true })
}

/** The order after a click on a column's title: highest first, lowest first, as the list has it. */
export function nextSort(column: string, sort: Sort | undefined): Sort | undefined {
  if (sort?.column !== column) return { column, order: 'down' }
  return sort.order === 'down' ? { column, order: 'up' } : undefined
}

/** What a column that shares the rest of the width keeps where there is none: a phone scrolls. */
const LEAST = 72

/** As the stylesheet of the table has them, in px. */
const GAP = 12
const PADDING = 12
const BOX = 28

const DEFAULT = 'minmax(0, 1fr)'

/** The tracks of all columns; the box to select a row by is before them. */
export function tracksOf<Row>(columns: readonly Column<Row>[], selectable: 'yes' | 'no'): string {
  const tracks = columns.map(({ width = DEFAULT }) =>
    width.replace('minmax(0,', `minmax(${LEAST}px,`),
  )
  return [...(selectable === 'yes' ? [`${BOX}px`] : []), ...tracks].join(' ')
}

/** Columns that fit into so many px: of those that may be left out the last ones are, as many as it takes. */
export function fitting<Row>(
  columns: readonly Column<Row>[],
  room: number,
  selectable: 'yes' | 'no',
): readonly Column<Row>[] {
  const left = [...columns]
  const taken = () =>
    left.reduce((sum, column) => sum + leastOf(column) + GAP, selectable === 'yes' ? BOX + GAP : 0)
  while (taken() - GAP + 2 * PADDING > room) {
    const next = left.findLastIndex(({ narrow }) => narrow === 'hidden')
    if (next < 0) return left
    left.splice(next, 1)
  }
  return left
}

/** What a track has at the least: `110px`, `minmax(80px, 2fr)`. */
function leastOf<Row>({ width = DEFAULT }: Column<Row>): number {
  return Number(/^(?:minmax\()?(\d+)px/.exec(width)?.[1] ?? LEAST)
}
