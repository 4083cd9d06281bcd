import { selectHorizons, selectTables, type HorizonRow, type TableRow } from './overview.sql.ts'
import { type CheckedDefinition, spellTable } from '@posthorn/engine/internal'
import type { Queryable } from '@posthorn/engine'

const ENGINE_TABLES = ['posthorn.transition', 'posthorn.archive', 'posthorn.held_key']

/** How large a table is and what of it is dead, as PostgreSQL's statistics have it. */
export interface TableBloat {
  readonly table: string
  /** Undefined for the engine's own tables. */
  readonly outbox: string | undefined
  /** Without indexes. */
  readonly bytes: number
  readonly indexBytes: number
  readonly liveRows: number
  readonly deadRows: number
  readonly vacuumedAt: Date | undefined
  readonly analyzedAt: Date | undefined
}

/** A session or slot that keeps dead rows from being removed. */
export interface Horizon {
  readonly holder: HorizonRow['holder']
  readonly name: string
  /** How many transactions have begun since. */
  readonly transactions: number
  readonly seconds: number | undefined
}

export interface Bloat {
  readonly tables: readonly TableBloat[]
  /** At most five, the worst first. */
  readonly horizons: readonly Horizon[]
}

/** What the outboxes' tables weigh, and who keeps vacuum back. Reads statistics only. */
export async function readBloat(
  db: Queryable,
  outboxes: readonly Pick<CheckedDefinition, 'name' | 'table' | 'log'>[],
): Promise<Bloat> {
  const names = new Map<string, { name: string; table: string }>(
    outboxes.flatMap(({ table, log, name }) =>
      [table, log]
        .filter((each) => each !== undefined)
        .map((each) => [spellTable(each), { name, table: each }] as const),
    ),
  )
  const [tables, horizons] = await Promise.all([
    db.query<TableRow>(selectTables([...names.keys(), ...ENGINE_TABLES])),
    db.query<HorizonRow>(selectHorizons),
  ])
  return {
    tables: tables.rows.map((row) => ({
      table: names.get(row.table)?.table ?? row.table,
      outbox: names.get(row.table)?.name,
      bytes: row.bytes,
      indexBytes: row.index_bytes,
      liveRows: row.live_rows,
      deadRows: row.dead_rows,
      vacuumedAt: row.vacuumed_at ?? undefined,
      analyzedAt: row.analyzed_at ?? undefined,
    })),
    horizons: horizons.rows.map(({ seconds, ...row }) => ({
      ...row,
      seconds: seconds ?? undefined,
    })),
  }
}
