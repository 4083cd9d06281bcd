import type { Column } from './column.ts'

/** What a column that shares the rest of the width keeps where there is none: a phone scrolls. */
const LEAST = 72

/** As the stylesheet of the table has them, in px. */
const GAP = 12
const PADDING = 12
const BOX = 28

const DEFAULT = 'minmax(0, 1fr)'

/** The tracks of all columns; the box to select a row by is before them. */
export function tracksOf<Row>(columns: readonly Column<Row>[], selectable: 'yes' | 'no'): string {
  const tracks = columns.map(({ width = DEFAULT }) =>
    width.replace('minmax(0,', `minmax(${LEAST}px,`),
  )
  return [...(selectable === 'yes' ? [`${BOX}px`] : []), ...tracks].join(' ')
}

/** Columns that fit into so many px: of those that may be left out the last ones are, as many as it takes. */
export function fitting<Row>(
  columns: readonly Column<Row>[],
  room: number,
  selectable: 'yes' | 'no',
): readonly Column<Row>[] {
  const left = [...columns]
  const taken = () =>
    left.reduce((sum, column) => sum + leastOf(column) + GAP, selectable === 'yes' ? BOX + GAP : 0)
  while (taken() - GAP + 2 * PADDING > room) {
    const next = left.findLastIndex(({ narrow }) => narrow === 'hidden')
    if (next < 0) return left
    left.splice(next, 1)
  }
  return left
}

/** What a track has at the least: `110px`, `minmax(80px, 2fr)`. */
function leastOf<Row>({ width = DEFAULT }: Column<Row>): number {
  return Number(/^(?:minmax\()?(\d+)px/.exec(width)?.[1] ?? LEAST)
}
