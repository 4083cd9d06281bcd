import type { QueryKey } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { FilterBar } from '../filter-bar.tsx'
import { useFilter, type Fields, type Filter, type Values } from '../use-filter.ts'
import { DataTable, type DataTableProps } from './data-table.tsx'
import { useList, type List, type ListPage } from './list.ts'

/** What a list of the API is asked for: its filter, where the page before ended, and how many. */
export type ListQuery<Of extends Fields> = Values<Of> & {
  readonly cursor?: string
  readonly limit: number
}

export interface FilteredListOptions<Row, Of extends Fields> {
  /** Its first word is the subject. */
  readonly queryKey: QueryKey
  /** What narrows the list, by name in the address. */
  readonly fields: Of
  readonly read: (query: ListQuery<Of>, signal: AbortSignal) => Promise<ListPage<Row>>
}

export interface FilteredList<Row, Of extends Fields> {
  readonly filter: Filter<Of>
  readonly list: List<Row>
}

/** A list of the API, narrowed by the address. */
export function useFilteredList<Row, const Of extends Fields>({
  queryKey,
  fields,
  read,
}: FilteredListOptions<Row, Of>): FilteredList<Row, Of> {
  const filter = useFilter(fields)
  const list = useList<Row>({
    queryKey: [...queryKey, filter.values],
    read: (cursor, signal) =>
      read({ ...filter.values, ...(cursor !== undefined && { cursor }), limit: 100 }, signal),
  })
  return { filter, list }
}

export interface FilteredTableProps<Row> extends Omit<DataTableProps<Row>, 'onClearFilter'> {
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
