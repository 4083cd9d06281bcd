import { everyone } from '@posthorn/engine/internal'
import type { Pool } from 'pg'
import {
  toMs,
  type Duration,
  silentLog,
  type Log,
  transaction,
  type Transaction,
  type Queryable,
} from '@posthorn/engine'
import { fromRow, type RowOf } from '../from-row.ts'
import {
  claimErasure,
  countPage,
  endPass,
  eraseRows,
  saveProgress,
  selectColumns,
  selectPage,
  type ErasableTable,
  type ErasureTarget,
  type ErasureWork,
  type PersonalTable,
  type SubjectKind,
  insertErasure,
  selectErasure,
  selectErasures,
  selectOpenErasure,
  type NewErasure,
} from './erasure.sql.ts'

/** Whom to erase; kept sealed while it goes on. */
export interface Subject {
  readonly kind: SubjectKind
  readonly value: string
  /** Addresses and numbers that belong to the same person. */
  readonly also?: readonly string[]
}

export interface ErasureOptions {
  readonly tables: readonly PersonalTable[]
  /** Opens what was sealed when the erasure was asked for. */
  open(sealed: string, erasureId: string): Subject
  readonly log?: Log
  readonly signal?: AbortSignal
  /** Rows one transaction looks at. Default 1,000. */
  readonly batch?: number
  /** How long one call may take. Default `1m`. */
  readonly budget?: Duration
  /** After how long rows that are in flight or held are tried again. Default `1h`. */
  readonly again?: Duration
}

/**
 * Goes on with the erasures there are, in small transactions: each looks at some rows of one table,
 * overwrites those in which the person is found and notes how far it is, so that a process that dies
 * loses nothing. Several processes share the work. Returns whether there is more to do at once.
 */
export async function continueErasures(pool: Pool, options: ErasureOptions): Promise<boolean> {
  const { signal, budget = '1m' } = options
  const stopAt = performance.now() + toMs(budget)
  const known = new Map<string, ErasableTable>()
  for (;;) {
    if (signal?.aborted === true) return false
    if (performance.now() >= stopAt) return true
    if (!(await transaction(pool, (tx) => takeStep(tx, options, known)))) return false
  }
}

/** One page of one table; false if no erasure has work to do. */
async function takeStep(
  tx: Transaction,
  options: ErasureOptions,
  known: Map<string, ErasableTable>,
): Promise<boolean> {
  const { rows } = await tx.query<ErasureWork>(claimErasure)
  const [work] = rows
  if (!work) return false
  const { tables, log = silentLog, batch = 1_000, again = '1h' } = options
  const listed = tables[work.table_no]
  if (!listed) {
    const [ended] = (await tx.query<RowOf<Erasure>>(endPass(work.id, toMs(again)))).rows
    log.info(
      { erasure: work.id, tenant: work.tenant, status: ended?.status, erased: ended?.erased },
      'a pass of an erasure ended',
    )
    return true
  }
  const target = targetOf(work, options.open(work.sealed_subject, work.id))
  const table = known.get(listed.table) ?? (await readColumns(tx, listed))
  known.set(listed.table, table)
  const after = work.after_key
  const page = await tx.query<{ key: string[]; hit: boolean; busy: boolean; held: boolean }>(
    selectPage(table, { ...target, after, limit: batch }),
  )
  const hits = page.rows.filter(({ hit }) => hit)
  const held = hits.filter((row) => row.held)
  const inFlight = hits.filter((row) => row.busy && !row.held)
  const keys = hits.filter((row) => !row.busy && !row.held).map(({ key }) => key)
  const erased =
    keys.length === 0 ? [] : (await tx.query(eraseRows(table, { ...target, keys }))).rows
  const isLast = page.rows.length < batch
  await tx.query(
    saveProgress({
      id: work.id,
      tableNo: isLast ? work.table_no + 1 : work.table_no,
      after: isLast ? null : (page.rows.at(-1)?.key ?? null),
      looked: page.rows.length,
      erased: erased.length,
      // A row that went into flight between look and update counts as such.
      inFlight: inFlight.length + keys.length - erased.length,
      held: held.length,
    }),
  )
  return true
}

async function readColumns(tx: Queryable, table: PersonalTable): Promise<ErasableTable> {
  const { rows } = await tx.query<{ name: string; type: string; personal: boolean }>(
    selectColumns(table.table),
  )
  const personal = rows.filter((column) => column.personal)
  return {
    ...table,
    columns: {
      ...Object.fromEntries(personal.map(({ name }) => [name, 'mention' as const])),
      ...table.columns,
    },
    types: Object.fromEntries(rows.map(({ name, type }) => [name, type])),
  }
}

function targetOf({ tenant }: Pick<ErasureWork, 'tenant'>, subject: Subject): ErasureTarget {
  const { kind, value, also = [] } = subject
  const people = [...(kind === 'email' || kind === 'phone' ? [value] : []), ...also]
  const find = people.length === 0 ? null : people.map(patternOf).join('|')
  // An id finds rows by their columns only: as a text it would be found in others' numbers too.
  const named = people.includes(value) ? [] : [boundedPattern(value)]
  return { tenant, kind, value, find, pattern: [...people.map(patternOf), ...named].join('|') }
}

export interface ErasureCount {
  /** Rows that name the person, and those of them that wait for a legal hold. */
  readonly rows: number
  readonly held: number
  /** Whether all tables were read; otherwise there may be more. */
  readonly isWhole: boolean
}

/** Counts what an erasure would overwrite, within a time. */
export async function countErasure(
  db: Queryable,
  {
    tenant,
    subject,
    tables,
  }: { tenant: string; subject: Subject; tables: readonly PersonalTable[] },
  budget: Duration = '5s',
): Promise<ErasureCount> {
  const stopAt = performance.now() + toMs(budget)
  const target = targetOf({ tenant }, subject)
  const found = { rows: 0, held: 0 }
  for (const listed of tables) {
    const table = await readColumns(db, listed)
    let after: readonly string[] | null = null
    do {
      if (performance.now() >= stopAt) return { ...found, isWhole: false }
      const page = countPage(table, { ...target, after, limit: COUNTED_AT_ONCE })
      const { rows } = await db.query<Page>(page)
      const [counted = { looked: 0, last: null, rows: 0, held: 0 }] = rows
      found.rows += counted.rows
      found.held += counted.held
      after = counted.looked < COUNTED_AT_ONCE ? null : counted.last
    } while (after !== null)
  }
  return { ...found, isWhole: true }
}

const COUNTED_AT_ONCE = 5_000

interface Page {
  readonly looked: number
  readonly last: readonly string[] | null
  readonly rows: number
  readonly held: number
}

/** Whether a text names the person: the record of an erasure must not. */
export function namesPerson(text: string, { value, also = [] }: Subject): boolean {
  return [value, ...also].some((each) => new RegExp(patternOf(each), 'i').test(text))
}

/** Finds a name or a number in a text, also as it stands in URLs, and no longer one. */
export function patternOf(value: string): string {
  if (!/^\+?[0-9 ().-]+$/.test(value)) return boundedPattern(value)
  const digits = value.replaceAll(/\D/g, '')
  return `(?<![0-9])(?:\\+|%2B|00)?${digits.split('').join('[ ().-]{0,2}')}(?![0-9])`
}

/** How a name goes on that is a file's: behind an address, any other dot is a longer address. */
const FILE_NAMES = '(?:csv|zip|pdf|xml|txt|json|jpe?g|png|tiff?|sta|gz)(?![A-Za-z0-9])'

function boundedPattern(value: string): string {
  const escaped = value
    .replaceAll(/[\\^$.*?()[\]{}|]/g, String.raw`\$&`)
    .replaceAll('+', String.raw`(?:\+|%2B)`)
    .replaceAll('@', '(?:@|%40)')
  return `(?<![A-Za-z0-9._%+-])${escaped}(?![A-Za-z0-9_-]|\\.(?!${FILE_NAMES})[A-Za-z0-9])`
}

/** The erasing of one person's data, without saying whose. */
export interface Erasure {
  readonly id: string
  readonly tenant: string
  readonly subjectKind: NewErasure['kind']
  /** `waiting`: rows are in flight or held; they are tried again. */
  readonly status: 'running' | 'waiting' | 'done'
  readonly reason: string | undefined
  readonly requestedBy: string
  readonly requestedAt: Date
  readonly finishedAt: Date | undefined
  /** Rows overwritten, and rows looked at. */
  readonly erased: number
  readonly lookedAt: number
  /** Rows that stay for now, of the last pass. */
  readonly inFlight: number
  readonly held: number
}

/** Asks for an erasure; one of the same person that is under way is given back instead. */
export async function requestErasure(
  tx: Transaction,
  erasure: NewErasure,
): Promise<{ readonly created: boolean; readonly erasure: Erasure }> {
  tx.ringLater(everyone)
  const [made] = (await tx.query<RowOf<Erasure>>(insertErasure(erasure))).rows
  if (made) return { created: true, erasure: fromRow<Erasure>(made) }
  const [open] = (await tx.query<RowOf<Erasure>>(selectOpenErasure(erasure))).rows
  return open ? { created: false, erasure: fromRow<Erasure>(open) } : requestErasure(tx, erasure)
}

export async function getErasure(db: Queryable, id: string): Promise<Erasure | undefined> {
  const { rows } = await db.query<RowOf<Erasure>>(selectErasure(id))
  return rows[0] && fromRow<Erasure>(rows[0])
}

/** Erasures, newest first. */
export async function listErasures(
  db: Queryable,
  page: { tenant?: string; before?: string; limit: number },
): Promise<Erasure[]> {
  const { tenant = null, before = null, limit } = page
  const { rows } = await db.query<RowOf<Erasure>>(selectErasures({ tenant, before, limit }))
  return rows.map(fromRow<Erasure>)
}
