import { Anchor } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useMemo, useRef, type ReactNode } from 'react'
import { ErrorState } from '../error-state.tsx'
import { Loading } from '../loading.tsx'
import { NoMatch } from '../no-match.tsx'
import { tracksOf, type Column } from './column.ts'
import classes from './data-table.module.css'
import type { List } from './list.ts'
import type { Selection } from './selection.ts'
import { TableRow } from './table-row.tsx'
import { useRowKeys } from './use-row-keys.ts'

export interface DataTableProps<Row> {
  /** What the rows are, for screen readers. */
  readonly label: string
  readonly list: List<Row>
  readonly columns: readonly Column<Row>[]
  readonly idOf: (row: Row) => string
  /** Enter or a click on a row. */
  readonly onOpen?: (row: Row) => void
  /** The id of the row that is open beside the table. */
  readonly opened?: string | undefined
  readonly selection?: Selection
  /** Shown in the place of the rows if there are none at all. */
  readonly empty: ReactNode
  /** Given if a filter is set: no rows then mean that nothing matches it. */
  readonly onClearFilter?: (() => void) | undefined
  /** Default: what is left of the window. */
  readonly height?: string
}

const ROW_HEIGHT = 34

/** Rows before the end at which the next page is asked for. */
const AHEAD = 30

/** A list as rows: drawn only where one looks, so that a hundred thousand scroll like ten. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { list, empty, onClearFilter } = props
  if (list.isLoading) return <Loading />
  if (list.error !== null) return <ErrorState error={list.error} onRetry={list.reload} />
  if (list.rows.length > 0) return <Rows {...props} />
  return onClearFilter === undefined ? empty : <NoMatch onClear={onClearFilter} />
}

function Rows<Row>({ label, list, idOf, onOpen, opened, selection, ...rest }: DataTableProps<Row>) {
  const isNarrow = useMediaQuery('(max-width: 48em)')
  const columns = useMemo(
    () => rest.columns.filter(({ narrow }) => !(isNarrow && narrow === 'hidden')),
    [rest.columns, isNarrow],
  )
  const box = useRef<HTMLDivElement>(null)
  const virtual = useVirtualizer({
    count: list.rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 12,
    scrollPaddingStart: ROW_HEIGHT,
  })
  const items = virtual.getVirtualItems()
  const last = items.at(-1)?.index ?? 0
  const { loadMore } = list
  useEffect(() => {
    if (last >= list.rows.length - AHEAD) loadMore()
  }, [last, list.rows.length, loadMore])
  const keys = useRowKeys({
    rows: list.rows,
    show: (index) => virtual.scrollToIndex(index),
    onOpen,
    onToggle: selection && ((row) => selection.toggle(idOf(row))),
  })
  const tracks = tracksOf(columns, selection === undefined ? 'no' : 'yes')
  return (
    <div className={classes['frame']}>
      <div
        ref={box}
        className={classes['box']}
        style={{ maxHeight: rest.height }}
        role="grid"
        aria-label={label}
        tabIndex={-1}
        aria-rowcount={list.hasMore ? -1 : list.rows.length + 1}
        aria-multiselectable={selection !== undefined}
        onKeyDown={keys.onKeyDown}
      >
        <div role="rowgroup" className={classes['head']}>
          <div role="row" aria-rowindex={1} style={{ gridTemplateColumns: tracks }}>
            {selection && <SelectAll {...{ selection, rows: list.rows, idOf }} />}
            {columns.map(({ id, title, align }) => (
              <div role="columnheader" key={id} data-align={align}>
                {title}
              </div>
            ))}
          </div>
        </div>
        <div role="rowgroup" style={{ height: virtual.getTotalSize(), position: 'relative' }}>
          {items.map(({ index, start }) => {
            const row = list.rows[index]
            if (row === undefined) return null
            const id = idOf(row)
            return (
              <TableRow
                key={id}
                {...{ row, id, index, start, columns, tracks, onOpen, selection }}
                isOpen={id === opened}
                isCurrent={index === keys.current}
                onFocus={keys.setCurrent}
              />
            )
          })}
        </div>
      </div>
      <Foot list={list} selected={selection?.ids.size ?? 0} />
    </div>
  )
}

interface SelectAllProps<Row> extends Pick<DataTableProps<Row>, 'idOf'> {
  readonly selection: Selection
  readonly rows: readonly Row[]
}

function SelectAll<Row>({ selection, rows, idOf }: SelectAllProps<Row>) {
  // Counted only when something changed, never while one scrolls.
  const chosen = useMemo(
    () => (selection.ids.size === 0 ? 0 : rows.filter((row) => selection.has(idOf(row))).length),
    [selection, rows, idOf],
  )
  const isAll = chosen === rows.length
  return (
    <div role="columnheader">
      <input
        type="checkbox"
        aria-label="Select all rows shown"
        checked={isAll}
        ref={(box) => {
          if (box !== null) box.indeterminate = chosen > 0 && !isAll
        }}
        onChange={() => (isAll ? selection.clear() : selection.replace(rows.map(idOf)))}
      />
    </div>
  )
}

function Foot({ list, selected }: { list: List<unknown>; selected: number }) {
  const count = list.rows.length.toLocaleString()
  return (
    <div className={classes['foot']} role="status">
      {list.isLoadingMore
        ? `${count} rows, loading more …`
        : `${count} ${list.rows.length === 1 ? 'row' : 'rows'}${list.hasMore ? ' so far' : ''}`}
      {selected > 0 && `, ${selected.toLocaleString()} selected`}
      {list.isOutdated && (
        <>
          {' · '}
          <Anchor component="button" type="button" size="xs" onClick={list.reload}>
            Changed: reload
          </Anchor>
        </>
      )}
    </div>
  )
}
