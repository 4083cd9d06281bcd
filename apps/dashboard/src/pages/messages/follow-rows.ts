/** Rows of a list as they are now, in the places they had, and how many came before the first. */
export interface Followed<Row> {
  readonly rows: readonly Row[]
  readonly newCount: number
}

/** Takes what is known better from the newest page; what it has beyond that is only counted. */
export function followRows<Row extends { readonly createdAt: string | null }>(
  shown: readonly Row[],
  newest: readonly Row[],
  idOf: (row: Row) => string,
): Followed<Row> {
  const known = new Map(newest.map((row) => [idOf(row), row]))
  const rows = shown.map((row) => known.get(idOf(row)) ?? row)
  const ids = new Set(shown.map(idOf))
  const first = shown[0]?.createdAt ?? ''
  const newCount = newest.filter(
    (row) => !ids.has(idOf(row)) && (row.createdAt ?? '') >= first,
  ).length
  return { rows, newCount }
}
