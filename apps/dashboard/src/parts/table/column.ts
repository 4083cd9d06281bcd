import type { ReactNode } from 'react'

/** A column of a table of such rows. */
export interface Column<Row> {
  readonly id: string
  readonly title: string
  /** A track of a CSS grid. Default `minmax(0, 1fr)`. */
  readonly width?: string
  readonly align?: 'left' | 'right'
  /** Left out where there is little room. */
  readonly narrow?: 'hidden'
  /**
   * What rows are sorted by where the server does not: only while all of them are here, since a part
   * in order says nothing of the rest. Left out where it makes no sense.
   */
  readonly sortBy?: (row: Row) => string | number | null | undefined
  readonly cell: (row: Row) => ReactNode
}
