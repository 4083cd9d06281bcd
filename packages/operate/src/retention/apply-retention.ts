import type { Pool } from 'pg'
import {
  toMs,
  type Duration,
  CodedError,
  sqlState,
  silentLog,
  type Log,
  type Metrics,
  transaction,
  type Queryable,
} from '@posthorn/engine'
import { noMetrics, run } from '@posthorn/engine/internal'
import {
  beginRun,
  endRun,
  limitBatch,
  limitLook,
  removeDue,
  selectOldest,
  selectSettings,
  type RetentionRule,
  type RetentionSetting,
} from './retention.sql.ts'
import type { PersonalTable, SubjectKind } from './erasure.sql.ts'

/** Data of one kind that is kept for one time, in one table or in several. */
export interface DataClass {
  /** As `shop.order-events`. */
  readonly name: string
  /** For people: what it is. */
  readonly title: string
  /** How long it is kept if nothing else is set. */
  readonly keep: Duration | 'forever'
  /** The least that may be set; default none. */
  readonly least?: Duration
  /** True where other code depends on the time: it cannot be set. */
  readonly fixed?: boolean
  /** Whether it can say who a person is. */
  readonly personal: boolean
  /** For people: what stays when it has gone. */
  readonly leaves: string
  /** In this order: rows that name others go before those. */
  readonly rules?: readonly RetentionRule[]
  /** Tables whose rows go by the engine's own maintenance: shown, and not touched here. */
  readonly maintained?: readonly RetentionRule[]
  /** What rules cannot say: partitions, files. Returns how much went; called once a run, after them. */
  prune?(context: PruneContext): Promise<number>
}

export interface PruneContext {
  readonly pool: Pool
  readonly log: Log
  readonly signal: AbortSignal
  /** As it is set for the platform. */
  readonly keepMs: number
}

/** A thing on which a legal hold can be placed. */
export interface HoldableThing {
  readonly table: string
  readonly id: string
  readonly org: string
}

/** Everything that a system keeps, and for how long. */
export interface RetentionCatalogue {
  readonly classes: readonly DataClass[]
  /** By kind, as `payment`. */
  readonly things?: Readonly<Record<string, HoldableThing>>
  /** Where a person can be found, tables that name others last. */
  readonly personal?: readonly PersonalTable[]
  /** Addresses and numbers of a person that is named otherwise. */
  resolve?(db: Queryable, who: PersonName): Promise<readonly string[]>
  /** Tables with times in them that are kept, and why. */
  readonly kept?: Readonly<Record<string, string>>
}

/** The name by which an organisation asks for a person. */
export interface PersonName {
  readonly tenant: string
  readonly kind: SubjectKind
  readonly value: string
}

/** Several catalogues as one. */
export function mergeCatalogues(catalogues: readonly RetentionCatalogue[]): RetentionCatalogue {
  const classes = catalogues.flatMap((each) => each.classes)
  const names = classes.map(({ name }) => name)
  const twice = names.find((name, i) => names.indexOf(name) !== i)
  if (twice !== undefined) throw new TypeError(`data class ${twice} is declared twice`)
  return {
    classes,
    things: Object.assign({}, ...catalogues.map(({ things }) => things)),
    personal: catalogues.flatMap(({ personal = [] }) => personal),
    kept: Object.assign({}, ...catalogues.map(({ kept }) => kept)),
    async resolve(db, who) {
      const found = await Promise.all(catalogues.map(async (each) => each.resolve?.(db, who) ?? []))
      return [...new Set(found.flat())]
    },
  }
}

const FOREVER_MS = 1_000 * 365.25 * 86_400_000

/** Milliseconds of a time that may be for ever. */
export function keepMsOf(keep: Duration | 'forever'): number {
  return keep === 'forever' ? FOREVER_MS : toMs(keep)
}

export function isForever(keepMs: number): boolean {
  return keepMs >= FOREVER_MS
}

/** How long a class is kept: for the platform, and for organisations with a time of their own. */
export interface EffectiveKeep {
  readonly keepMs: number
  readonly keeps: Readonly<Record<string, number>>
  /** The shortest of them all: what is younger need not be looked at. */
  readonly shortestMs: number
}

/** What holds for a class; a time below its least, left from an earlier version, counts as the least. */
export function effectiveKeep(
  { name, keep, least = '0ms', fixed }: DataClass,
  settings: readonly RetentionSetting[],
): EffectiveKeep {
  const leastMs = toMs(least)
  const own = fixed === true ? [] : settings.filter((each) => each.class === name)
  const atLeast = (ms: number) => Math.max(ms, leastMs)
  const platform = own.find(({ tenant }) => tenant === '')?.keep_ms
  const keepMs = atLeast(platform ?? keepMsOf(keep))
  const keeps = Object.fromEntries(
    own.filter(({ tenant }) => tenant !== '').map((each) => [each.tenant, atLeast(each.keep_ms)]),
  )
  return { keepMs, keeps, shortestMs: Math.min(keepMs, ...Object.values(keeps)) }
}

export async function readSettings(db: Queryable): Promise<RetentionSetting[]> {
  const { rows } = await db.query<RetentionSetting>(selectSettings)
  return rows
}

export interface RetentionOptions {
  readonly log?: Log
  readonly metrics?: Metrics
  readonly signal?: AbortSignal
  /** Rows one transaction takes. Default 1,000. */
  readonly batch?: number
  /** How long one class may take; what is left over waits for the next run. Default `1m`. */
  readonly budget?: Duration
}

/** What a run did: rows that went, by class, and whether there is more to do. */
export interface RetentionResult {
  readonly removed: Readonly<Record<string, number>>
  readonly more: boolean
}

/**
 * Removes what is past its time, class by class, in small transactions. Any number of processes may
 * do it at once, and one may die at any point: the next run goes on. A class that fails does not hold
 * up the others.
 */
export async function applyRetention(
  pool: Pool,
  { classes }: Pick<RetentionCatalogue, 'classes'>,
  options: RetentionOptions = {},
): Promise<RetentionResult> {
  const { log = silentLog, metrics = noMetrics, signal = new AbortController().signal } = options
  const settings = await readSettings(pool)
  const removed: Record<string, number> = {}
  let more = false
  for (const dataClass of classes) {
    if (signal.aborted) break
    const { name } = dataClass
    await pool.query(beginRun(name))
    const ran = await runClass(pool, dataClass, { ...options, log, signal, settings })
    removed[name] = ran.removed
    more ||= ran.error === null && !ran.isComplete
    if (signal.aborted) break
    await pool.query(endRun({ class: name, ...ran }))
    metrics.count('posthorn_retention_removed_total', ran.removed, { class: name })
    if (ran.oldest) {
      const seconds = Math.max(0, (Date.now() - ran.oldest.getTime()) / 1_000)
      metrics.gauge('posthorn_retention_oldest_seconds', seconds, { class: name })
    }
    if (ran.removed > 0) {
      log.info(
        { class: name, removed: ran.removed, complete: ran.isComplete },
        'expired data removed',
      )
    }
  }
  return { removed, more }
}

interface ClassRun {
  readonly removed: number
  readonly isComplete: boolean
  readonly oldest: Date | null
  readonly error: string | null
}

type Running = Required<Pick<RetentionOptions, 'log' | 'signal'>> &
  RetentionOptions & { readonly settings: readonly RetentionSetting[] }

async function runClass(
  pool: Pool,
  dataClass: DataClass,
  { log, signal, settings, batch = 1_000, budget = '1m' }: Running,
): Promise<ClassRun> {
  const { name, rules = [] } = dataClass
  const keep = effectiveKeep(dataClass, settings)
  const stopAt = performance.now() + toMs(budget)
  let removed = 0
  let isComplete = true
  try {
    for (const rule of isForever(keep.shortestMs) ? [] : rules) {
      const statement = removeDue(rule)
      for (let count = batch; count >= batch;) {
        if (performance.now() >= stopAt || signal.aborted) {
          isComplete = false
          break
        }
        const args = { ...keep, keeps: JSON.stringify(keep.keeps), batch }
        count = await transaction(pool, async (tx) => {
          for (const limit of limitBatch) await tx.query(limit)
          const [row] = await run<{ count: number }>(tx, { ...statement, name: '' }, args)
          return row?.count ?? 0
        })
        removed += count
      }
    }
    if (dataClass.prune && !signal.aborted) {
      removed += await dataClass.prune({ pool, log, signal, keepMs: keep.keepMs })
    }
    return { removed, isComplete, oldest: await oldestOf(pool, dataClass), error: null }
  } catch (error) {
    log.error({ class: name, err: error }, 'removing old data failed; the next run tries again')
    return { removed, isComplete: false, oldest: null, error: codeOf(error) }
  }
}

/** The date of the oldest row of a class; null if there is none, or it takes too long to find. */
export async function oldestOf(
  pool: Pool,
  { rules = [], maintained = [] }: DataClass,
  tenant: string | null = null,
): Promise<Date | null> {
  const dates = await Promise.all(
    [...rules, ...maintained].map(async (rule) => {
      const [row] = await look<{ at: Date }>(pool, (tx) =>
        run<{ at: Date }>(tx, { ...selectOldest(rule), name: '' }, { tenant }),
      )
      return row?.at
    }),
  )
  const found = dates.filter((date) => date !== undefined)
  return found.length === 0 ? null : new Date(Math.min(...found.map((date) => date.getTime())))
}

/** A read for people that gives up after two seconds: then there are no rows. */
export async function look<Row>(
  pool: Pool,
  read: (tx: Queryable) => Promise<Row[]>,
): Promise<Row[]> {
  try {
    return await transaction(pool, async (tx) => {
      await tx.query(limitLook)
      return read(tx)
    })
  } catch (error) {
    if (sqlState(error) !== undefined) return []
    throw error
  }
}

function codeOf(error: unknown): string {
  return sqlState(error) ?? (error instanceof CodedError ? error.code : 'FAILED')
}
