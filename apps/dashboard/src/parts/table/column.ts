import type { ReactNode } from 'react'

/** A column of a table of such rows. */
export interface Column<Row> {
  readonly id: string
  readonly title: string
  /** A track of a CSS grid. Default `minmax(0, 1fr)`. */
  readonly width?: string
  readonly align?: 'left' | 'right'
  /** Left out on a phone. */
  readonly narrow?: 'hidden'
  readonly cell: (row: Row) => ReactNode
}

/** What a column that shares the rest of the width keeps where there is none: a phone scrolls. */
const LEAST = '72px'

/** The tracks of all columns; the box to select a row by is before them. */
export function tracksOf<Row>(columns: readonly Column<Row>[], selectable: 'yes' | 'no'): string {
  const tracks = columns.map(({ width = 'minmax(0, 1fr)' }) =>
    width.replace('minmax(0,', `minmax(${LEAST},`),
  )
  return [...(selectable === 'yes' ? ['28px'] : []), ...tracks].join(' ')
}
