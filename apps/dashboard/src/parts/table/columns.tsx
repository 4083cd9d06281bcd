import type { ReactNode } from 'react'
import { formatCount } from '../../format/number.ts'
import type { StateRole } from '../../states/role.ts'
import { CopyId, type CopyIdProps, Time, type TimeProps } from '../show/facts.tsx'
import { Money } from '../show/money.tsx'
import { StateBadge } from '../show/states.tsx'

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
  /** Whether a number needs attention. */
  readonly isBold?: (row: Row) => boolean
  readonly cell: (row: Row) => ReactNode
}

type Field<Row> = keyof Row & string

interface Place {
  /** Default: the name of the field. */
  readonly id?: string
  /** `none` where rows are not sorted by it. */
  readonly order?: 'none'
  readonly width?: string
  readonly align?: 'left' | 'right'
  readonly narrow?: 'hidden'
}

function columnOf<Row>(
  field: Field<Row>,
  { id = field, order, ...place }: Place,
  column: Pick<Column<Row>, 'title' | 'cell'>,
): Column<Row> {
  const sortBy = (row: Row) => row[field] as string | number | null
  return { id, ...place, ...column, ...(order !== 'none' && { sortBy }) }
}

/** Columns of one field each, by how it is shown; others are written out. */
export const column = {
  /** As it is; `none` stands for what is null. */
  text<Row>(field: Field<Row>, title: string, more: Place & { readonly none?: string } = {}) {
    const { none = '', ...place } = more
    const cell = (row: Row) => (row[field] as ReactNode) ?? none
    return columnOf<Row>(field, place, { title, cell })
  },
  /** A number as people write it. */
  count<Row>(field: Field<Row>, title: string, place: Place = {}) {
    const cell = (row: Row) => formatCount(row[field] as number)
    return columnOf<Row>(field, { align: 'right', ...place }, { title, cell })
  },
  time<Row>(field: Field<Row>, title: string, more: Place & Omit<TimeProps, 'at'> = {}) {
    const { clock = 'wall', ahead = false, ...place } = more
    const cell = (row: Row) => <Time at={row[field] as string | null} {...{ clock, ahead }} />
    return columnOf<Row>(field, place, { title, cell })
  },
  /** A state with the role that each of its words plays. */
  state<Row>(
    field: Field<Row>,
    title: string,
    more: Place & { readonly roles: Readonly<Record<string, StateRole>> },
  ) {
    const { roles, ...place } = more
    const cell = (row: Row) => {
      const state = String(row[field])
      return <StateBadge state={state} role={roles[state]} />
    }
    return columnOf<Row>(field, place, { title, cell })
  },
  copy<Row>(field: Field<Row>, title: string, more: Place & Omit<CopyIdProps, 'id'> = {}) {
    const { what = 'id', shown = Number.POSITIVE_INFINITY, ...place } = more
    const cell = (row: Row) =>
      row[field] === null ? '–' : <CopyId id={String(row[field])} {...{ what, shown }} />
    return columnOf<Row>(field, place, { title, cell })
  },
  /** An amount in minor units of the row's own currency. */
  money<Row extends { readonly currency: string }>(
    field: Field<Row>,
    title: string,
    place: Place = {},
  ) {
    const cell = (row: Row) => <Money minor={row[field] as number} currency={row.currency} />
    return columnOf<Row>(field, place, { title, cell })
  },
}
