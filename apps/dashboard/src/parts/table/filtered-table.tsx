import type { QueryKey } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { type Fields, type Filter, FilterBar, useFilter, type Values } from '../act/filter-bar.tsx'
import { DataTable, type DataTableProps } from './data-table.tsx'
import { useSort } from './layout.ts'
import { type List, type ListPage, type Sorts, type SortWord, useList } from './list.ts'

/** What a list of the API is asked for: its filter and order, where the page before ended, how many. */
type ListQuery<Of extends Fields, Field extends string> = Values<Of> & {
  readonly sort?: SortWord<Field>
  readonly cursor?: string
  readonly limit: number
}

interface FilteredListOptions<Row, Of extends Fields, Field extends string> {
  /** Its first word is the subject. */
  readonly queryKey: QueryKey
  /** What narrows the list, by name in the address. */
  readonly fields: Of
  /** The name that `useTable` has; with `sorts`. */
  readonly name?: string
  /** The columns that the server sorts by. */
  readonly sorts?: Sorts<Field>
  readonly read: (query: ListQuery<Of, Field>, signal: AbortSignal) => Promise<ListPage<Row>>
}

interface FilteredList<Row, Of extends Fields> {
  readonly filter: Filter<Of>
  readonly list: List<Row>
}

/** A list of the API, narrowed by the address and in the order that its table was given. */
export function useFilteredList<Row, const Of extends Fields, const Field extends string = never>({
  queryKey,
  fields,
  name = '',
  sorts = NO_SORTS,
  read,
}: FilteredListOptions<Row, Of, Field>): FilteredList<Row, Of> {
  const filter = useFilter(fields)
  const sort = useSort(name, sorts)
  const list = useList<Row>({
    queryKey: [...queryKey, filter.values, ...(sort === undefined ? [] : [sort])],
    read: (cursor, signal) =>
      read(
        {
          ...filter.values,
          ...(sort !== undefined && { sort }),
          ...(cursor !== undefined && { cursor }),
          limit: 100,
        },
        signal,
      ),
  })
  return { filter, list: { ...list, sorts } }
}

const NO_SORTS = {}

interface FilteredTableProps<Row> extends Omit<DataTableProps<Row>, 'onClearFilter'> {
  readonly filter: Pick<Filter, 'values' | 'isSet' | 'set' | 'clear'>
  /** The fields of the filter. */
  readonly children: ReactNode
}

/** A table below the fields that narrow it. */
export function FilteredTable<Row>({ filter, children, ...table }: FilteredTableProps<Row>) {
  return (
    <>
      <FilterBar filter={filter}>{children}</FilterBar>
      <DataTable {...table} onClearFilter={filter.isSet ? filter.clear : undefined} />
    </>
  )
}
