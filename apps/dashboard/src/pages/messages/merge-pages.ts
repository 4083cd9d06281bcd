import type { ListPage } from '../../parts/table/list.ts'

interface Dated {
  readonly outbox: string
  readonly createdAt: string | null
}

export interface MergeOptions<Row> {
  readonly outboxes: readonly string[]
  readonly cursor: string | undefined
  /** The next page of one outbox, newest first. */
  readonly read: (outbox: string, cursor: string | undefined) => Promise<ListPage<Row>>
}

/** Where one is in each outbox that is not read to its end, and what was read too early. */
interface Place<Row> {
  readonly open: Readonly<Record<string, string>>
  readonly kept: readonly Row[]
}

/**
 * A page of all outboxes together, newest first. A row is shown only when no outbox can still have a
 * newer one; what is read and not yet shown travels in the cursor, so that nothing is asked for twice.
 */
export async function mergePages<Row extends Dated>(
  options: MergeOptions<Row>,
): Promise<ListPage<Row>> {
  const { outboxes, cursor, read } = options
  const before: Place<Row> =
    cursor === undefined
      ? { open: Object.fromEntries(outboxes.map((name) => [name, ''])), kept: [] }
      : (JSON.parse(cursor) as Place<Row>)
  const open: Record<string, string> = { ...before.open }
  const wanted = Object.entries(open).filter(
    ([name]) => !before.kept.some(({ outbox }) => outbox === name),
  )
  const pages = await Promise.all(
    wanted.map(async ([name, place]) => {
      const { items, nextCursor } = await read(name, place === '' ? undefined : place)
      if (nextCursor === null) delete open[name]
      else open[name] = nextCursor
      return items
    }),
  )
  const rows = [...before.kept, ...pages.flat()].toSorted((one, other) =>
    madeAt(other).localeCompare(madeAt(one)),
  )
  const horizon = Object.keys(open).reduce((newest, name) => {
    const last = rows.findLast(({ outbox }) => outbox === name)
    const reached = last === undefined ? '' : madeAt(last)
    return reached > newest ? reached : newest
  }, '')
  const items = rows.filter((row) => madeAt(row) >= horizon)
  const kept = rows.filter((row) => madeAt(row) < horizon)
  const isEnd = Object.keys(open).length === 0 && kept.length === 0
  return { items, nextCursor: isEnd ? null : JSON.stringify({ open, kept } satisfies Place<Row>) }
}

/** A table that keeps no time comes last. */
function madeAt({ createdAt }: Dated): string {
  return createdAt ?? ''
}
