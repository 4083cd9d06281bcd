import type { QueryKey } from '@tanstack/react-query'
import { Fragment, type ReactNode } from 'react'
import { type Fields, type Filter, FilterBar, useFilter, type Values } from '../act/filter-bar.tsx'
import { DetailDrawer, neighboursOf, useOpened } from '../layout/detail-drawer.tsx'
import { DataTable, type DataTableProps } from './data-table.tsx'
import type { Column } from './columns.tsx'
import { useSort, useTable } from './layout.ts'
import { listOf, type ListPage, type Sorts, type SortWord, useList } from './list.ts'

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
  readonly columns: readonly Column<Row>[]
  /** The layout's name in this browser; left out, columns are not to be chosen. */
  readonly name?: string
  /** The columns that the server sorts by; with `name`. */
  readonly sorts?: Sorts<Field>
  readonly read: (query: ListQuery<Of, Field>, signal: AbortSignal) => Promise<ListPage<Row>>
}

/** A list of the API, narrowed by the address, in the order and with the columns that its user chose. */
export function useFilteredList<Row, const Of extends Fields, const Field extends string = never>({
  queryKey,
  fields,
  columns,
  name,
  sorts = NO_SORTS,
  read,
}: FilteredListOptions<Row, Of, Field>) {
  const filter = useFilter(fields)
  const sort = useSort(name ?? '', sorts)
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
  const table = useTable({ name: name ?? '', list: { ...list, sorts }, columns })
  return { filter, fields, ...table, layout: name === undefined ? undefined : table.layout }
}

const NO_SORTS = {}

interface FilteredTableProps<Row> extends Omit<DataTableProps<Row>, 'onClearFilter' | 'idOf'> {
  /** Left out for a list that nothing narrows. */
  readonly filter?: Pick<Filter, 'values' | 'isSet' | 'set' | 'clear'>
  readonly fields?: Fields
  /** Default: its `id`. */
  readonly idOf?: (row: Row) => string
  /** A row opens a drawer: its title, and what is in it. */
  readonly drawer?: string
  readonly renderDetails?: (id: string, row: Row | undefined) => ReactNode
  /** Shown next to the fields of the filter. */
  readonly children?: ReactNode
}

/** A table below the fields that narrow it, with a drawer for the open row. */
export function FilteredTable<Row>(props: FilteredTableProps<Row>) {
  const { filter, fields = {}, idOf = idIn, drawer, renderDetails, children, ...table } = props
  const opened = useOpened()
  const { rows } = listOf(table.list)
  const shown = rows.find((row) => idOf(row) === opened.id)
  const content = opened.id === undefined ? undefined : renderDetails?.(opened.id, shown)
  return (
    <>
      {filter && (
        <FilterBar filter={filter} fields={fields}>
          {children}
        </FilterBar>
      )}
      <DataTable
        {...(renderDetails && { onOpen: (row: Row) => opened.open(idOf(row)), opened: opened.id })}
        {...table}
        idOf={idOf}
        onClearFilter={filter?.isSet ? filter.clear : undefined}
      />
      {renderDetails && (
        <DetailDrawer
          isOpen={content !== undefined}
          onClose={opened.close}
          title={drawer}
          neighbours={neighboursOf(rows, idOf, opened)}
        >
          <Fragment key={opened.id}>{content}</Fragment>
        </DetailDrawer>
      )}
    </>
  )
}

function idIn<Row>(row: Row): string {
  return (row as { readonly id: string }).id
}
