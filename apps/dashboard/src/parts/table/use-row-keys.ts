import { useState, type KeyboardEvent } from 'react'

interface RowKeysOptions<Row> {
  readonly rows: readonly Row[]
  /** Scrolls there, so that the row exists. */
  readonly show: (index: number) => void
  readonly onOpen: ((row: Row) => void) | undefined
  readonly onToggle: ((row: Row) => void) | undefined
}

const PAGE = 15

/** Arrows, Home, End and pages move; Enter opens, Space selects. */
export function useRowKeys<Row>({ rows, show, onOpen, onToggle }: RowKeysOptions<Row>) {
  const [chosen, setCurrent] = useState(0)
  const last = rows.length - 1
  const current = Math.min(chosen, last)

  const goTo = (grid: Element, wished: number) => {
    const index = Math.min(Math.max(wished, 0), last)
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
    else if (event.key === ' ' && onToggle) onToggle(row)
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
