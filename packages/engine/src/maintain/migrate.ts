import { createHash } from 'node:crypto'
import { readFile, readdir } from 'node:fs/promises'
import type { Pool } from 'pg'
import { MigrationError } from '../errors.ts'
import {
  createMigrationTable,
  insertMigration,
  lockMigrations,
  noteApplied,
  selectMigrationTable,
  selectMigrations,
  type AppliedMigration,
  type MigrationNote,
} from '../sql/migrate.ts'
import { transaction, type Queryable } from '../enqueue/transaction.ts'

/**
 * One forward step: plain SQL, never edited after it was released. Versions that do not know it go
 * on running beside it, unless its first line is `-- breaking`: then they are not ready and do not
 * start. So a step adds; what it takes away is broken down into two releases, or marked.
 */
export interface Migration {
  /** File name without its ending, e.g. `0001_engine`. */
  readonly id: string
  readonly sql: string
  readonly checksum: string
}

/** The steps of one owner (the engine, a system, an application), applied in the order of their ids. */
export interface MigrationSet {
  readonly name: string
  readonly migrations: readonly Migration[]
}

export interface MigrationStatus {
  readonly set: string
  readonly id: string
  /** Undefined while the step waits to be applied. */
  readonly appliedAt: Date | undefined
}

/** Reads a folder of `0001_name.sql` files as one set. */
export async function migrationsFrom(name: string, folder: URL): Promise<MigrationSet> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.sql')).sort()
  const migrations = files.map(async (file) => {
    const text = await readFile(new URL(file, folder), 'utf8')
    return { id: file.slice(0, -'.sql'.length), sql: text, checksum: checksumOf(text) }
  })
  return { name, migrations: await Promise.all(migrations) }
}

/** The engine's own tables. */
export function engineMigrations(): Promise<MigrationSet> {
  return migrationsFrom('engine', new URL('../migrations/', import.meta.url))
}

/**
 * Applies what is missing of every set, all in one transaction: a failed step leaves the database
 * as it was. Safe to call from many processes at once. Returns what was applied.
 */
export async function migrate(
  pool: Pool,
  sets: readonly MigrationSet[],
): Promise<{ set: string; id: string }[]> {
  return transaction(pool, async (tx) => {
    await tx.query(lockMigrations)
    await tx.query(createMigrationTable)
    const { rows } = await tx.query<AppliedMigration>(selectMigrations)
    const missing = findPending(sets, rows)
    for (const { set, migration } of missing) {
      await tx.query({ text: migration.sql, values: [] })
      await tx.query(insertMigration(set, noteOf(migration)))
    }
    return missing.map(({ set, migration }) => ({ set, id: migration.id }))
  })
}

/**
 * Every step of every set with the time it was applied; changes nothing. Steps of a newer version
 * are passed over, unless one of them is breaking: then it throws.
 */
export async function migrationStatus(
  db: Queryable,
  sets: readonly MigrationSet[],
): Promise<MigrationStatus[]> {
  const { rows: found } = await db.query<{ present: boolean }>(selectMigrationTable)
  const applied = found[0]?.present ? (await db.query<AppliedMigration>(selectMigrations)).rows : []
  findPending(sets, applied)
  return sets.flatMap((set) =>
    set.migrations.map((migration) => ({
      set: set.name,
      id: migration.id,
      appliedAt: applied.find((row) => row.set_name === set.name && row.id === migration.id)
        ?.applied_at,
    })),
  )
}

/** The whole SQL of the sets, for those who apply migrations by their own means. */
export function migrationSql(sets: readonly MigrationSet[]): string {
  const steps = sets.flatMap((set) =>
    set.migrations.map(
      (migration) =>
        `-- ${set.name}/${migration.id}\n${migration.sql.trim()}\n\n${noteApplied(set.name, noteOf(migration))}\n`,
    ),
  )
  return `begin;\n${lockMigrations.text.trim()};\n${createMigrationTable.text.trim()};\n\n${steps.join('\n')}\ncommit;\n`
}

function findPending(
  sets: readonly MigrationSet[],
  applied: readonly AppliedMigration[],
): { set: string; migration: Migration }[] {
  const missing = []
  for (const set of sets) {
    const known = new Map(
      applied.filter((row) => row.set_name === set.name).map((row) => [row.id, row]),
    )
    for (const migration of set.migrations) {
      const row = known.get(migration.id)
      known.delete(migration.id)
      if (!row) missing.push({ set: set.name, migration })
      else if (row.checksum !== migration.checksum) {
        throw new MigrationError(
          'MIGRATION_CHANGED',
          `${set.name}/${migration.id} was edited after it was applied; write a new migration instead`,
        )
      }
    }
    // A newer version has been here. It may go back, and older processes may go on.
    const breaking = [...known.values()].find((row) => row.breaking)
    if (breaking) {
      throw new MigrationError(
        'MIGRATION_UNKNOWN',
        `the database has ${set.name}/${breaking.id}, which this version does not know and cannot run on: deploy the newer version`,
      )
    }
  }
  return missing
}

const BREAKING = /^\s*--\s*breaking\b/

function noteOf({ id, checksum, sql }: Migration): MigrationNote {
  return { id, checksum, breaking: BREAKING.test(sql) }
}

function checksumOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32)
}
