import { execFile } from 'node:child_process'
import { basename } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { migrate, migrationsFrom, type MigrationSet } from '@posthorn/engine'
import { allMigrations, loadSystems } from '@posthorn/server'
import { Client, Pool } from 'pg'
import type { Ledger, Line } from '../kit/ledger.ts'
import { indexesOf, largeTables, megabytesOfDatabase, type LargeTable } from './large-tables.ts'
import { previousCommit, root } from './previous.ts'

export interface LocksOptions {
  readonly databaseUrl: string
  /** Of the largest tables; the others have a tenth of that. */
  readonly rows: number
  readonly signal: AbortSignal
}

const LONGEST_WAIT_MS = 2_000
/** Of each table's writer: dozens of them must leave the machine to the migration. */
const EVERY_MS = 20
const CHUNK = 1_000_000
/** Tables that are filled at once. */
const FILLERS = 2

/** Of a server that is filled and thrown away: filling takes most of the time. */
export const FILLING = {
  ...{
    fsync: 'off',
    full_page_writes: 'off',
    // It would read each table again as soon as it is filled.
    autovacuum: 'off',
    checkpoint_timeout: '1h',
  },
  ...{ shared_buffers: '1GB', maintenance_work_mem: '512MB', max_wal_size: '8GB' },
} as const

/**
 * Migrates a database of the version before whose tables are large, while a writer of each table inserts
 * every few milliseconds: how long each step lets a writer wait at most.
 */
export async function measureLocks({ databaseUrl, rows, signal }: LocksOptions): Promise<Ledger> {
  const sets = await allSets()
  const { before } = await splitSets(sets)
  const pool = new Pool({ connectionString: databaseUrl, max: 4 })
  const stopping = new AbortController()
  let writers: readonly Writer[] = []
  try {
    await migrate(pool, before)
    const unfilled = [...largeTables]
    const fillNext = async () => {
      for (let table = unfilled.shift(); table; table = unfilled.shift()) {
        await fill(table, { databaseUrl, rows: rowsOf(table, rows), signal })
      }
    }
    await Promise.all(Array.from({ length: FILLERS }, fillNext))
    const { rows: sizes } = await pool.query<{ megabytes: number }>(megabytesOfDatabase)
    writers = largeTables.map((table) =>
      startWriter(table, { databaseUrl, rows: rowsOf(table, rows), signal: stopping.signal }),
    )
    const lines: Line[] = []
    for (const step of stepsBehind(before, sets)) {
      signal.throwIfAborted()
      lines.push(await measure(pool, step, writers))
      await sleep(EVERY_MS * 10)
      for (const writer of writers) {
        const error = writer.endsBy()
        // As the version before is, it is stopped for a breaking step; beside others it goes on.
        if (error && !step.isBreaking) throw error
      }
    }
    stopping.abort()
    const written = await Promise.all(writers.map(({ ended }) => ended))
    const all = written.reduce((sum, count) => sum + count, 0)
    return {
      title: `locks of ${lines.length} migrations, ${rows.toLocaleString('en')} rows in the largest tables`,
      lines: [
        { name: 'tables of that size', value: largeTables.filter((each) => each.isLargest).length },
        {
          name: 'tables with a tenth of it',
          value: largeTables.filter((t) => !t.isLargest).length,
        },
        { name: 'megabytes before the first migration', value: sizes[0]?.megabytes ?? 0 },
        { name: 'rows written meanwhile', value: all, atLeast: 1 },
        ...lines,
      ],
    }
  } finally {
    stopping.abort()
    await Promise.all(writers.map(({ ended }) => ended))
    await pool.end()
  }
}

function rowsOf({ isLargest }: LargeTable, rows: number): number {
  return isLargest ? rows : rows / 10
}

/** Its tables are nobody's, and its steps examples of each kind: all but the first are always measured. */
const EXAMPLES = 'parcels'

export async function allSets(): Promise<MigrationSet[]> {
  const examples = await migrationsFrom(EXAMPLES, new URL('migrations/', import.meta.url))
  return [...(await allMigrations(await loadSystems({}))), examples]
}

/** Splits sets into what the version before has, or the baselines while there is none, and the rest. */
export async function splitSets(sets: readonly MigrationSet[]) {
  const commit = await previousCommit()
  const ids = commit === undefined ? undefined : await idsOf(commit)
  const isKnown = (set: string, id: string) =>
    ids === undefined || set === EXAMPLES ? id.startsWith('0001_') : ids.has(id)
  const pick = (wanted: boolean) =>
    sets.map(({ name, migrations }) => ({
      name,
      migrations: migrations.filter(({ id }) => isKnown(name, id) === wanted),
    }))
  return { before: pick(true), later: pick(false) }
}

async function idsOf(commit: string): Promise<Set<string>> {
  const listed = await promisify(execFile)('git', ['ls-tree', '-r', '--name-only', commit], {
    cwd: root,
    maxBuffer: 64 * 1024 * 1024,
  })
  const files = listed.stdout.split('\n').filter((path) => /\/migrations\/.*\.sql$/.test(path))
  return new Set(files.map((path) => basename(path, '.sql')))
}

/** Triggers and foreign keys sleep: these are rows, not business. */
async function connect(databaseUrl: string): Promise<Client> {
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query('set session_replication_role = replica')
  return client
}

async function fill(table: LargeTable, { databaseUrl, rows, signal }: LocksOptions) {
  const client = await connect(databaseUrl)
  const began = performance.now()
  // Built at the end they take a fraction of the time.
  const { rows: indexes } = await client.query<{ drop: string; create: string }>(indexesOf, [
    table.name,
  ])
  for (const { drop } of indexes) await client.query(drop)
  for (let from = 1; from <= rows; from += CHUNK) {
    signal.throwIfAborted()
    await client.query(table.insert, [from, Math.min(rows, from + CHUNK - 1)])
  }
  for (const { create } of indexes) await client.query(create)
  await client.query(`analyze ${table.name}`)
  await client.end()
  const seconds = ((performance.now() - began) / 1_000).toFixed(0)
  console.log(`${table.name}: ${rows.toLocaleString('en')} rows in ${seconds} s`)
}

interface Writer {
  readonly table: string
  /** The longest wait since it was last asked, also of the insert that still waits. */
  longestMs(): number
  /** Why it ended by itself, said once: its statement fits the tables of now no more. */
  endsBy(): Error | undefined
  readonly ended: Promise<number>
}

function startWriter(table: LargeTable, { databaseUrl, rows, signal }: LocksOptions): Writer {
  let longest = 0
  let since: number | undefined
  let failure: Error | undefined
  let written = 0
  const write = async () => {
    const client = await connect(databaseUrl)
    try {
      while (!signal.aborted) {
        since = performance.now()
        await client.query(table.insert, [rows + written + 1, rows + written + 1])
        written += 1
        longest = Math.max(longest, performance.now() - since)
        since = undefined
        await sleep(EVERY_MS)
      }
    } catch (error) {
      failure = error as Error
      since = undefined
    } finally {
      await client.end()
    }
    return written
  }
  return {
    table: table.name,
    ended: write(),
    endsBy() {
      const error = failure
      failure = undefined
      return error
    },
    longestMs() {
      const waiting = since === undefined ? 0 : performance.now() - since
      const result = Math.max(longest, waiting)
      longest = 0
      return result
    },
  }
}

interface Step {
  readonly name: string
  /** The version before is stopped for it, so that it may make writers wait. */
  readonly isBreaking: boolean
  readonly sets: readonly MigrationSet[]
}

/** The pending steps in their order, each with the sets as they are when it is the last one. */
function* stepsBehind(before: readonly MigrationSet[], sets: readonly MigrationSet[]) {
  const done = new Map(before.map(({ name, migrations }) => [name, migrations.length]))
  for (const set of sets) {
    for (const { id, sql } of set.migrations.filter((each) => !isIn(before, set.name, each.id))) {
      done.set(set.name, set.migrations.findIndex((each) => each.id === id) + 1)
      const upTo = sets.map(({ name, migrations }) => ({
        name,
        migrations: migrations.slice(0, done.get(name)),
      }))
      const isBreaking = sql.startsWith('-- breaking')
      yield { name: `${set.name}/${id}`, isBreaking, sets: upTo } satisfies Step
    }
  }
}

function isIn(sets: readonly MigrationSet[], name: string, id: string): boolean {
  const set = sets.find((each) => each.name === name)
  return set?.migrations.some((each) => each.id === id) ?? false
}

async function measure(
  pool: Pool,
  { name, isBreaking, sets }: Step,
  writers: readonly Writer[],
): Promise<Line> {
  for (const writer of writers) writer.longestMs()
  const began = performance.now()
  await migrate(pool, sets)
  const seconds = ((performance.now() - began) / 1_000).toFixed(1)
  const longest = writers.map((writer) => ({ table: writer.table, ms: writer.longestMs() }))
  const { table, ms } = longest.reduce((most, each) => (each.ms > most.ms ? each : most))
  console.log(`${name}: ${seconds} s, longest wait ${ms.toFixed(0)} ms, at ${table}`)
  return {
    name: `${name} (${seconds} s${isBreaking ? ', breaking' : ''}): longest wait, ms`,
    value: Math.round(ms),
    ...(!isBreaking && { atMost: LONGEST_WAIT_MS }),
  }
}
