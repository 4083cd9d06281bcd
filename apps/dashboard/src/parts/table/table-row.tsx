import { memo } from 'react'
import type { Column } from './column.ts'
import type { Selection } from './selection.ts'

interface TableRowProps<Row> {
  readonly row: Row
  readonly id: string
  readonly index: number
  /** Progress, in px from the first one. */
  readonly start: number
  readonly columns: readonly Column<Row>[]
  readonly tracks: string
  readonly isOpen: boolean
  /** The one that the Tab key comes to. */
  readonly isCurrent: boolean
  readonly onFocus: (index: number) => void
  readonly onOpen: ((row: Row) => void) | undefined
  readonly selection: Selection | undefined
}

function DrawnRow<Row>(props: TableRowProps<Row>) {
  const { row, id, index, start, columns, tracks, isOpen, isCurrent, onFocus, onOpen } = props
  const { selection } = props
  const isSelected = selection?.has(id) ?? false
  return (
    // Keys are heard by the table, which knows the row they are for.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
    <div
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
      style={{ gridTemplateColumns: tracks, transform: `translateY(${start}px)` }}
    >
      {selection && (
        <div role="gridcell">
          <input
            type="checkbox"
            aria-label={`Select ${id}`}
            tabIndex={-1}
            checked={isSelected}
            onChange={() => selection.toggle(id)}
          />
        </div>
      )}
      {columns.map((column) => (
        <div role="gridcell" key={column.id} data-align={column.align}>
          {column.cell(row)}
        </div>
      ))}
    </div>
  )
}

/** Drawn once while one scrolls past it. */
export const TableRow = memo(DrawnRow) as typeof DrawnRow

function isOnControl(target: EventTarget): boolean {
  return target instanceof Element && target.closest('a, button, input, label') !== null
}
