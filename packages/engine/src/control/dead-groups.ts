import { run, withoutPreparing } from '../database/pool-handle.ts'
import type { Queryable } from '../database/transaction.ts'
import { SQLSTATE, sqlState } from '../errors.ts'
import type { Outbox } from '../outbox/define.ts'
import { inSql, type OutboxRow } from '../outbox/resolved-definition.ts'
import { nameDestination } from '../relay/attempt/attempt.ts'
import { argsOf, type ReplayFilter } from './replay.ts'
import { groupReplayable, MOST_GROUPS } from './replay.sql.ts'

/** Dead messages that were given up for the same reason. */
export interface DeadGroup {
  /** Undefined where the table keeps none, or kept none for these. */
  readonly code: string | undefined
  readonly count: number
  /** When the first and the last of them died; undefined where no alert says it. */
  readonly firstDiedAt: Date | undefined
  readonly lastDiedAt: Date | undefined
  /** Why one of them failed. */
  readonly error: string | undefined
  /** Where they were to go, most messages first; empty where that is too many places to be counted. */
  readonly destinations: readonly DeadDestination[]
}

interface DeadDestination {
  /** `transport:topic`. */
  readonly destination: string
  readonly count: number
}

interface GroupRow {
  readonly code: string | null
  readonly count: number
  readonly first_died_at: Date | null
  readonly last_died_at: Date | null
  readonly error: string | null
  /** What the destination is made of: `of_0`, `of_1` … */
  readonly [column: `of_${number}`]: unknown
}

/** What `replay` would take, by the code of the last failure; the most frequent first. */
export async function groupDead<Row>(
  db: Queryable,
  outbox: Outbox<Row>,
  filter: ReplayFilter,
): Promise<DeadGroup[]> {
  const box = outbox as unknown as Outbox
  const args = argsOf(box, filter)
  const read = (columns: readonly string[]) =>
    run<GroupRow>(withoutPreparing(db), groupReplayable(inSql(box), columns), args)
  const rows = await read([])
  const places = rows.length === 0 ? [] : await countPlaces(box, read)
  return rows.map(({ code, count, ...row }) => ({
    code: code ?? undefined,
    count,
    firstDiedAt: row.first_died_at ?? undefined,
    lastDiedAt: row.last_died_at ?? undefined,
    error: row.error ?? undefined,
    destinations: addUp(places.filter((place) => place.code === code)),
  }))
}

interface Place extends DeadDestination {
  readonly code: string | null
}

/**
 * A destination is a function of a row, which SQL cannot call. It is called with groups of rows instead: by the
 * columns that it is seen to read.
 */
async function countPlaces(
  { destination }: Outbox,
  read: (columns: readonly string[]) => Promise<readonly GroupRow[]>,
): Promise<Place[]> {
  const columns: string[] = []
  for (;;) {
    const rows = await read(columns).catch(noneIfUngroupable)
    if (rows === undefined || rows.length >= MOST_GROUPS) return []
    const wanted = new Set<string>()
    const places = rows.flatMap((row): Place[] => {
      const { code, count } = row
      if (typeof destination !== 'function') {
        return [{ code, count, destination: nameDestination(destination) }]
      }
      try {
        const shown = watchReads(columns, row, wanted)
        return [{ code, count, destination: nameDestination(destination(shown)) }]
      } catch {
        // It may miss a column that is read next; what it refuses has no destination.
        return []
      }
    })
    if (wanted.size === 0) return places
    columns.push(...wanted)
  }
}

/** A row with these columns only, which notes the others that are asked for. */
function watchReads(columns: readonly string[], row: GroupRow, wanted: Set<string>): OutboxRow {
  return new Proxy<OutboxRow>(
    {},
    {
      get(_, name) {
        if (typeof name !== 'string') return undefined
        const at = columns.indexOf(name)
        if (at < 0) wanted.add(name)
        return row[`of_${at}`]
      },
    },
  )
}

/** A name that is no column, or one whose type knows no equality. */
function noneIfUngroupable(error: unknown): undefined {
  const state = sqlState(error)
  if (state !== SQLSTATE.undefinedColumn && state !== SQLSTATE.undefinedFunction) throw error
}

function addUp(places: readonly Place[]): DeadDestination[] {
  return [...Map.groupBy(places, ({ destination }) => destination)]
    .map(([destination, each]) => ({
      destination,
      count: each.reduce((sum, { count }) => sum + count, 0),
    }))
    .toSorted((one, other) => other.count - one.count)
}
