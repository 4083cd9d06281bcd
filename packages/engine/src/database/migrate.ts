import { createHash } from 'node:crypto'
import { readFile, readdir } from 'node:fs/promises'
import { toMs, type Duration } from '../duration.ts'
import { transaction, type Queryable, type Transaction } from './transaction.ts'
import { MigrationError, SQLSTATE, sqlState } from '../errors.ts'
import { silentLog, type Log } from '../log.ts'
import { sleep } from '../sleep.ts'
import {
  createMigrationTable,
  insertMigrations,
  limitLockWaits,
  lockMigrations,
  noteApplied,
  refuseOldServer,
  selectMigrationTable,
  selectMigrations,
  tryLockSteps,
  type AppliedMigration,
  type MigrationNote,
  allowIdling,
  allowLongStatements,
  dropIndexBeside,
  selectUnfinishedIndex,
} from './migrate.sql.ts'
import type { Pool } from 'pg'
import { ownClient } from './pool-handle.ts'

/**
 * One forward step: plain SQL, never edited after it was released. Versions that do not know it go
 * on running beside it, unless its first line is `-- breaking`: then they are not ready and do not
 * start. So a step adds; what it takes away is broken down into two releases, or marked. If its first
 * line is `-- concurrently`, its statements run one by one, outside a transaction.
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
  /** Its steps touch no table but its own: while none is applied, all go in one transaction. Default false. */
  readonly ownTables?: boolean
}

export interface MigrationStatus {
  readonly set: string
  readonly id: string
  /** Undefined while the step waits to be applied. */
  readonly appliedAt: Date | undefined
}

/**
 * Reads a folder of `0001_name.sql` files as one set. A bundle has no folder: give it the texts by the
 * names of their files.
 */
export async function migrationsFrom(
  name: string,
  from: URL | Readonly<Record<string, string>>,
): Promise<MigrationSet> {
  const files = from instanceof URL ? await readFolder(from) : from
  const migrations = Object.entries(files)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([file, text]) => ({
      ...{ id: file.slice(0, -'.sql'.length), sql: text },
      checksum: checksumOf(text),
    }))
  return { name, migrations }
}

async function readFolder(folder: URL): Promise<Record<string, string>> {
  const names = (await readdir(folder)).filter((file) => file.endsWith('.sql'))
  const read = async (file: string) => [file, await readFile(new URL(file, folder), 'utf8')]
  return Object.fromEntries(await Promise.all(names.map(read)))
}

/** The engine's own tables. */
export async function engineMigrations(): Promise<MigrationSet> {
  const set = await migrationsFrom('engine', new URL('../migrations/', import.meta.url))
  return { ...set, ownTables: true }
}

export interface MigrateOptions {
  /**
   * How long a step waits for a lock; default `1s`. Writers queue up behind it meanwhile, so it gives
   * way to them then, and is tried again.
   */
  readonly lockTimeout?: Duration
  /** How long a step that does not get its locks is tried again, before `migrate` gives up; default `10m`. */
  readonly patience?: Duration
  readonly log?: Log
}

/**
 * Applies what is missing of every set, each step in a transaction of its own, so that no lock outlives
 * its step: one that fails leaves nothing behind, those before it stay. Only a new set that has its
 * tables for itself goes in one transaction, since no process uses them yet. Safe to call from many
 * processes at once. Returns what was applied.
 */
export async function migrate(
  pool: Pool,
  sets: readonly MigrationSet[],
  { lockTimeout = '1s', patience = '10m', log = silentLog }: MigrateOptions = {},
): Promise<{ set: string; id: string }[]> {
  const applied: { set: string; id: string }[] = []
  let giveUpAt = performance.now() + toMs(patience)
  for (let pauseMs = PAUSE_MS; ;) {
    const result = await applyNext()
    if (result === 'busy') await sleep(BUSY_MS)
    else if ('blocked' in result) {
      const { step, blocked } = result
      if (performance.now() > giveUpAt) throw blockedError(step, blocked, patience)
      log.warn({ step, err: blocked }, 'a migration waits for a lock; trying again')
      await sleep(pauseMs)
      pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)
    } else {
      applied.push(...result.steps)
      if (result.isLast) return applied
      pauseMs = PAUSE_MS
      giveUpAt = performance.now() + toMs(patience)
    }
  }

  /** The next steps; or which one did not get its locks; `busy` while another process applies one. */
  async function applyNext() {
    let step = ''
    try {
      return await transaction(pool, async (tx) => {
        const { rows: locks } = await tx.query<Steps>(tryLockSteps)
        const { taken, version, isOld } = locks[0] as Steps
        if (isOld) {
          const problem = `the server is PostgreSQL ${version}, and 14 or newer is needed`
          throw new MigrationError('POSTGRES_TOO_OLD', problem)
        }
        if (!taken) return 'busy' as const
        const before = await findApplied(tx)
        const [next, ...others] = findPending(sets, before)
        if (!next) return { steps: [], isLast: true }
        step = `${next.set}/${next.migration.id}`
        const isNew = before.every(({ set_name }) => set_name !== next.set)
        if (isConcurrent(next.migration) && !isNew) {
          await buildBeside(pool, tx, next)
          await tx.query(createMigrationTable)
          await tx.query(insertMigrations(next.set, [noteOf(next.migration)]))
          return { steps: [idOf(next)], isLast: others.length === 0 }
        }
        await tx.query(lockMigrations)
        // SQL that another tool applies takes this lock only, and may have held it until now.
        if ((await findApplied(tx)).length !== before.length) return { steps: [], isLast: false }
        const isWhole = isNew && sets.some(({ name, ownTables }) => name === next.set && ownTables)
        const steps = isWhole ? [next, ...others.filter(({ set }) => set === next.set)] : [next]
        await tx.query(limitLockWaits(toMs(lockTimeout)))
        // Two statements for all of a new set: a newcomer waits for every round trip.
        const texts = steps.map(({ migration }) => endedSql(migration))
        const notes = steps.map(({ migration }) => noteOf(migration))
        const text = [`${createMigrationTable.text};`, ...texts].join('\n')
        await tx.query({ text, values: [] })
        await tx.query(insertMigrations(next.set, notes))
        return { steps: steps.map(idOf), isLast: steps.length === others.length + 1 }
      })
    } catch (error) {
      if (LOCK_STATES.has(sqlState(error))) return { step, blocked: error }
      throw error
    }
  }
}

interface Steps {
  readonly taken: boolean
  readonly version: string
  readonly isOld: boolean
}

const LOCK_STATES = new Set<string | undefined>([SQLSTATE.lockNotAvailable, SQLSTATE.deadlock])
const BUSY_MS = 100
const PAUSE_MS = 500
const LONGEST_PAUSE_MS = 5_000

function blockedError(step: string, cause: unknown, patience: Duration): MigrationError {
  return new MigrationError(
    'MIGRATION_BLOCKED',
    `${step} did not get its locks within ${patience}: a long transaction holds a table that it changes`,
    { cause },
  )
}

/**
 * Every step of every set with the time it was applied; changes nothing. Steps of a newer version
 * are passed over, unless one of them is breaking: then it throws.
 */
export async function migrationStatus(
  db: Queryable,
  sets: readonly MigrationSet[],
): Promise<MigrationStatus[]> {
  const applied = await findApplied(db)
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

async function findApplied(db: Queryable): Promise<AppliedMigration[]> {
  const { rows: found } = await db.query<{ present: boolean }>(selectMigrationTable)
  return found[0]?.present ? (await db.query<AppliedMigration>(selectMigrations)).rows : []
}

export interface MigrationSqlOptions {
  /** The last step that was applied, by set, as `0002` or `0002_price`; of other sets there is none. */
  readonly since?: Readonly<Record<string, string>>
  /** `own`: between begin and commit. `outer`: for a tool that has a transaction open. Default `own`. */
  readonly transaction?: 'own' | 'outer'
}

/** The SQL of the sets, for those who apply migrations by their own means. */
export function migrationSql(
  sets: readonly MigrationSet[],
  { since = {}, transaction: whose = 'own' }: MigrationSqlOptions = {},
): string {
  const steps = sets.flatMap((set) => {
    const last = since[set.name]
    return stepsAfter(set, last).map((migration) => {
      const advice = last !== undefined && isConcurrent(migration) ? adviceOn(migration) : ''
      const note = noteApplied(set.name, noteOf(migration))
      return `-- ${set.name}/${migration.id}\n${advice}${endedSql(migration)}\n\n${note}\n`
    })
  })
  const before = [refuseOldServer, lockMigrations, createMigrationTable]
  const head = before.map(({ text }) => `${text.trim()};\n`).join('')
  const text = `${head}\n${steps.join('\n')}`
  return whose === 'own' ? `begin;\n${text}\ncommit;\n` : text
}

/** A file may do without its last semicolon; others' statements come behind it. */
function endedSql(migration: Migration): string {
  const text = plainSql(migration).trim()
  return text.endsWith(';') ? text : `${text}\n;`
}

function stepsAfter({ name, migrations }: MigrationSet, last: string | undefined): Migration[] {
  if (last === undefined) return [...migrations]
  const at = migrations.findIndex(({ id }) => id === last || id.startsWith(`${last}_`))
  if (at === -1) {
    const known = migrations.map(({ id }) => id).join(', ')
    throw new MigrationError('MIGRATION_UNKNOWN', `${name} has no step ${last}: ${known}`)
  }
  return migrations.slice(at + 1)
}

/** In a transaction an index is built under a lock; one that is there already is passed over. */
function adviceOn(migration: Migration): string {
  const statements = statementsOf(migration).map((statement) => `${statement};`.split('\n'))
  const lines = [
    'Writers of the table wait while this runs. If it is large, run these before, one by one',
    'and outside a transaction; what they have done is then passed over here:',
    ...statements.flat().map((line) => `  ${line.trim()}`),
  ]
  return lines.map((line) => `-- ${line}\n`).join('')
}

interface Step {
  readonly set: string
  readonly migration: Migration
}

function idOf({ set, migration }: Step): { set: string; id: string } {
  return { set, id: migration.id }
}

function findPending(sets: readonly MigrationSet[], applied: readonly AppliedMigration[]): Step[] {
  const missing: Step[] = []
  for (const set of sets) {
    const known = new Map(
      applied.filter((row) => row.set_name === set.name).map((row) => [row.id, row]),
    )
    for (const migration of set.migrations) {
      const row = known.get(migration.id)
      known.delete(migration.id)
      if (!row) missing.push({ set: set.name, migration })
      else if (row.checksum !== migration.checksum) throw changedError(set.name, migration.id)
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

/** Nobody but us edits the engine's first step, and only until there is a release. */
function changedError(set: string, id: string): MigrationError {
  return set === 'engine' && id === '0001_engine'
    ? new MigrationError('MIGRATION_REWRITTEN')
    : new MigrationError(
        'MIGRATION_CHANGED',
        `${set}/${id} was edited after it was applied; write a new migration instead`,
      )
}

const BREAKING = /^\s*--\s*breaking\b/

function noteOf({ id, checksum, sql }: Migration): MigrationNote {
  return { id, checksum, breaking: BREAKING.test(sql) }
}

function checksumOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32)
}

const MARK = /^\s*--\s*concurrently\b/
const INDEX =
  /^create\s+(?:unique\s+)?index\s+concurrently\s+if\s+not\s+exists\s+(?<name>\w+)\s+on\s+(?<schema>\w+)\./i
const OTHERS = /^(?:drop\s+index\s+concurrently\s+if\s+exists|alter\s+table\s+[\w.]+\s+validate)\s/i

/** Whether its statements run one by one beside writers, outside a transaction. */
function isConcurrent({ sql }: Migration): boolean {
  return MARK.test(sql)
}

/** The SQL for a transaction, of tables that no process writes to yet. */
function plainSql({ sql }: Migration): string {
  return MARK.test(sql) ? sql.replaceAll(/\b(?:index)\s+concurrently\b/gi, 'index') : sql
}

/**
 * Runs the statements of a concurrent step on another connection, while `tx` holds the lock that keeps
 * other processes from it. After a crash it begins anew: what is there is passed over, and what is left of
 * an index that was not finished is dropped first.
 */
async function buildBeside(
  pool: Pool,
  tx: Transaction,
  { set, migration }: { set: string; migration: Migration },
): Promise<void> {
  const step = `${set}/${migration.id}`
  const statements = statementsOf(migration)
  const wrong = statements.find((each) => !INDEX.test(each) && !OTHERS.test(each))
  if (wrong !== undefined) {
    throw new MigrationError(
      'MIGRATION_INVALID',
      `${step} cannot be repeated after a crash: "${wrong.slice(0, 60)}" is neither create nor drop index concurrently, with if (not) exists, nor validate constraint`,
    )
  }
  await tx.query(allowIdling)
  // Not one of the pool: it may have only one, and that is the lock's.
  const client = ownClient(pool)
  client.on('error', () => undefined)
  await client.connect()
  try {
    await client.query(allowLongStatements)
    for (const statement of statements) {
      const { schema = '', name = '' } = INDEX.exec(statement)?.groups ?? {}
      const { rows } = await client.query(selectUnfinishedIndex(schema, name))
      if (rows.length > 0) await client.query(dropIndexBeside(schema, name))
      await client.query(statement)
    }
  } finally {
    await client.end()
  }
}

/** The statements of a concurrent step: none has a body or a string with a semicolon. */
function statementsOf({ sql }: Migration): string[] {
  return sql
    .replaceAll(/--.*$/gm, '')
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '')
}
