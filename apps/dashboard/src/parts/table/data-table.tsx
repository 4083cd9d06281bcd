import { Anchor } from '@mantine/core'
import { clamp, useMediaQuery } from '@mantine/hooks'
import { useVirtualizer } from '@tanstack/react-virtual'
import {
  type KeyboardEvent,
  memo,
  type ReactNode,
  type RefObject,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { countOf } from '../../format/number.ts'
import { ErrorState, Loading, NoMatch } from '../layout/notice.tsx'
import { ColumnMenu, ColumnTitle, sortNote } from './column-menu.tsx'
import classes from './data-table.module.css'
import type { Column } from './columns.tsx'
import { fitting, type Layout, tracksOf } from './layout.ts'
import { type List, listOf, type Selection } from './list.ts'

interface RowKeysOptions<Row> extends Pick<DataTableProps<Row>, 'onOpen'> {
  readonly rows: readonly Row[]
  /** Scrolls there, so that the row exists. */
  readonly show: (index: number) => void
  readonly onToggle: Select | undefined
}

type Select = (index: number, what: 'one' | 'range') => void

const PAGE = 15

/** Arrows, Home, End and pages move; Enter opens, Space selects, with Shift all from the last one. */
function useRowKeys<Row>({ rows, show, onOpen, onToggle }: RowKeysOptions<Row>) {
  const [chosen, setCurrent] = useState(0)
  const last = rows.length - 1
  const current = Math.min(chosen, last)

  const goTo = (grid: Element, target: number) => {
    const index = clamp(target, 0, last)
    setCurrent(index)
    show(index)
    // The row may have to be drawn before it can take the focus.
    requestAnimationFrame(() =>
      requestAnimationFrame(() =>
        grid.querySelector<HTMLElement>(`[data-index="${index}"]`)?.focus({ preventScroll: true }),
      ),
    )
  }

  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const isOnRow = event.target instanceof HTMLElement && event.target.role === 'row'
    const row = rows[current]
    if (!isOnRow || row === undefined || event.ctrlKey || event.metaKey || event.altKey) return
    const target = targetOf(event.key, current, last)
    if (target !== undefined) goTo(event.currentTarget, target)
    else if (event.key === 'Enter' && onOpen) onOpen(row)
    else if (event.key === ' ' && onToggle) onToggle(current, event.shiftKey ? 'range' : 'one')
    else return
    event.preventDefault()
  }

  return { current, setCurrent, onKeyDown }
}

function targetOf(key: string, current: number, last: number): number | undefined {
  const targets: Readonly<Record<string, number>> = {
    ArrowDown: current + 1,
    ArrowUp: current - 1,
    j: current + 1,
    k: current - 1,
    PageDown: current + PAGE,
    PageUp: current - PAGE,
    Home: 0,
    End: last,
  }
  return targets[key]
}

export interface DataTableProps<Row> {
  /** What the rows are, for screen readers. */
  readonly label: string
  /** Read page by page, or rows that are all there. */
  readonly list: List<Row> | readonly Row[]
  readonly columns: readonly Column<Row>[]
  /** From `useTable`: lets the user choose columns and sort. */
  readonly layout?: Layout | undefined
  readonly idOf: (row: Row) => string
  /** Enter or a click on a row. */
  readonly onOpen?: ((row: Row) => void) | undefined
  /** The id of the row that is open in a drawer. */
  readonly opened?: string | undefined
  readonly selection?: Selection
  /** Shown in the place of the rows if there are none at all. */
  readonly empty?: ReactNode
  /** Given if a filter is set: no rows then mean that nothing matches it. */
  readonly onClearFilter?: (() => void) | undefined
  /** Default: what is left of the window. */
  readonly height?: string
  /** A row is as high as its content. Default: one line, which ends in dots. */
  readonly tall?: true
}

const ROW_HEIGHT = 34

/** A line of a card: the title of its column and the value. */
const CARD_LINE = 22
const CARD_PADDING = 16

/** Rows before the end at which the next page is asked for. */
const AHEAD = 30

/** A list as rows: drawn only where one looks, so that a hundred thousand scroll like ten. */
export function DataTable<Row>({ list: given, ...props }: DataTableProps<Row>) {
  const { empty, onClearFilter } = props
  const list = listOf(given)
  if (list.isLoading) return <Loading />
  if (list.error !== null) return <ErrorState error={list.error} onRetry={list.reload} />
  if (list.rows.length > 0) return <Rows {...props} list={list} isWhole={list !== given} />
  return onClearFilter === undefined ? empty : <NoMatch onClear={onClearFilter} />
}

interface RowsProps<Row> extends Omit<DataTableProps<Row>, 'list'> {
  readonly list: List<Row>
  readonly isWhole: boolean
}

function Rows<Row>({ label, list, idOf, onOpen, opened, selection, ...rest }: RowsProps<Row>) {
  const isPhone = useMediaQuery('(max-width: 40em)') ?? false
  const isNarrow = useMediaQuery('(max-width: 75em)') ?? false
  const box = useRef<HTMLDivElement>(null)
  const room = useRoom(box)
  const selectable = selection === undefined ? 'no' : 'yes'
  const columns = useMemo(
    () => fitting(rest.columns, isNarrow ? 0 : room, selectable),
    [rest.columns, isNarrow, room, selectable],
  )
  const height = isPhone ? columns.length * CARD_LINE + CARD_PADDING : ROW_HEIGHT
  const virtual = useVirtualizer({
    count: list.rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => height,
    overscan: 12,
    scrollPaddingStart: ROW_HEIGHT,
  })
  // A phone that is turned has rows of another height.
  useEffect(() => virtual.measure(), [virtual, height])
  const items = virtual.getVirtualItems()
  const last = items.at(-1)?.index ?? 0
  const { loadMore } = list
  useEffect(() => {
    if (last >= list.rows.length - AHEAD) loadMore()
  }, [last, list.rows.length, loadMore])
  const select = useRangeSelection(list.rows, idOf, selection)
  const keys = useRowKeys({
    rows: list.rows,
    show: (index) => virtual.scrollToIndex(index),
    onOpen,
    onToggle: selection && select,
  })
  const tracks = isPhone ? undefined : tracksOf(columns, selectable)
  return (
    <div className={classes['frame']}>
      {/* Rows that came do not push away the one that is looked at: they are shown when asked for. */}
      {list.newRows !== undefined && (
        <button type="button" className={classes['new']} onClick={list.reload}>
          {list.newRows}
        </button>
      )}
      <div
        ref={box}
        className={classes['box']}
        data-cards={isPhone || undefined}
        data-tall={rest.tall}
        style={{ maxHeight: rest.height ?? (rest.isWhole ? 'none' : undefined) }}
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
            {columns.map(({ id, title, align, sortBy }) => (
              <ColumnTitle
                key={id}
                {...{ id, title, align, layout: rest.layout }}
                hasOrder={sortBy !== undefined}
              />
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
                {...{ row, id, index, start, columns, tracks, onOpen, selection, select }}
                {...(rest.tall ? { measure: virtual.measureElement } : { height })}
                isOpen={id === opened}
                isCurrent={index === keys.current}
                onFocus={keys.setCurrent}
              />
            )
          })}
        </div>
      </div>
      {!rest.isWhole && (
        <Foot list={list} selected={selection?.ids.size ?? 0} layout={rest.layout} />
      )}
    </div>
  )
}

/** How wide it is inside, in px. */
function useRoom(box: RefObject<HTMLElement | null>): number {
  const [room, setRoom] = useState(Number.POSITIVE_INFINITY)
  // Before it is painted: what does not fit is never seen.
  useLayoutEffect(() => {
    const element = box.current
    if (element === null) return undefined
    const measure = () => setRoom(element.clientWidth)
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [box])
  return room
}

/** Selects a row, or with the Shift key all from the one that was selected last. */
function useRangeSelection<Row>(
  rows: readonly Row[],
  idOf: (row: Row) => string,
  selection: Selection | undefined,
) {
  const anchor = useRef<number>(undefined)
  return useCallback<Select>(
    (index, what) => {
      const row = rows[index]
      if (selection === undefined || row === undefined) return
      const from = anchor.current
      if (what === 'range' && from !== undefined) {
        selection.add(rows.slice(Math.min(from, index), Math.max(from, index) + 1).map(idOf))
      } else selection.toggle(idOf(row))
      anchor.current = index
    },
    [rows, idOf, selection],
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

interface FootProps {
  readonly list: List<unknown>
  readonly selected: number
  readonly layout: Layout | undefined
}

function Foot({ list, selected, layout }: FootProps) {
  return (
    <div className={classes['foot']}>
      <span role="status">
        {countOf(list.rows.length, 'row')}
        {list.isLoadingMore ? ', loading more …' : list.hasMore && ' so far'}
        {selected > 0 && `, ${selected.toLocaleString()} selected`}
        {list.isOutdated && (
          <>
            {' · '}
            <Anchor component="button" type="button" size="xs" onClick={list.reload}>
              Changed: reload
            </Anchor>
          </>
        )}
        {layout && sortNote(layout)}
      </span>
      {layout && <ColumnMenu layout={layout} />}
    </div>
  )
}

interface TableRowProps<Row> {
  readonly row: Row
  readonly id: string
  readonly index: number
  /** Where it stands, in px from the first one. */
  readonly start: number
  /** Undefined where it is measured. */
  readonly height?: number
  readonly measure?: (row: HTMLElement | null) => void
  readonly columns: readonly Column<Row>[]
  /** Undefined where a row is a card. */
  readonly tracks: string | undefined
  readonly isOpen: boolean
  /** The one that the Tab key comes to. */
  readonly isCurrent: boolean
  readonly onFocus: (index: number) => void
  readonly onOpen: ((row: Row) => void) | undefined
  readonly selection: Selection | undefined
  readonly select: Select
}

function DrawnRow<Row>(props: TableRowProps<Row>) {
  const { row, id, index, start, height, measure, columns, tracks, isOpen, isCurrent } = props
  const { selection, select, onFocus, onOpen } = props
  const isSelected = selection?.has(id) ?? false
  return (
    // Keys are heard by the table, which knows the row they are for.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
    <div
      ref={measure}
      role="row"
      aria-rowindex={index + 2}
      aria-selected={selection === undefined ? isOpen : isSelected}
      data-index={index}
      data-open={isOpen || undefined}
      data-opens={onOpen !== undefined || undefined}
      tabIndex={isCurrent ? 0 : -1}
      onFocus={() => onFocus(index)}
      onClick={(event) => {
        // A link or a button inside does its own thing.
        if (!isOnControl(event.target)) onOpen?.(row)
      }}
      style={{ height, gridTemplateColumns: tracks, transform: `translateY(${start}px)` }}
    >
      {selection && (
        <div role="gridcell">
          <input
            type="checkbox"
            aria-label={`Select ${id}`}
            tabIndex={-1}
            checked={isSelected}
            onChange={() => undefined}
            onClick={({ shiftKey }) => select(index, shiftKey ? 'range' : 'one')}
          />
        </div>
      )}
      {columns.map((column) => (
        <div
          role="gridcell"
          key={column.id}
          data-align={column.align}
          data-title={column.title}
          data-bold={column.isBold?.(row) || undefined}
        >
          {inCell(column.cell(row))}
        </div>
      ))}
    </div>
  )
}

/** Text gets its own element: in a card, only that can end in dots where there is no room. */
function inCell(content: ReactNode): ReactNode {
  return typeof content === 'string' ? <span title={content}>{content}</span> : content
}

/** Drawn once while one scrolls past it. */
const TableRow = memo(DrawnRow) as typeof DrawnRow

function isOnControl(target: EventTarget): boolean {
  return target instanceof Element && target.closest('a, button, input, label') !== null
}
