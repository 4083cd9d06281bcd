import type { Pool } from 'pg'
import { toMs, type Duration, type Queryable, type Transaction } from '@posthorn/engine'
import { run } from '@posthorn/engine/internal'
import {
  effectiveKeep,
  isForever,
  keepMsOf,
  look,
  oldestOf,
  readSettings,
  type DataClass,
  type RetentionCatalogue,
} from './apply-retention.ts'
import { fromRow, type RowOf } from '../from-row.ts'
import { countDue, deleteSetting, selectRuns, upsertSetting } from './retention.sql.ts'

/** More rows than this are not counted for a look. */
const MOST_COUNTED = 10_000

/** How long a class of data is kept, and how far retention is with it. */
export interface RetentionStatus {
  readonly dataClass: DataClass
  /** What holds for the organisation, or for the platform; undefined is for ever. */
  readonly keepMs: number | undefined
  /** Where that comes from. */
  readonly setBy: 'organisation' | 'platform' | 'default'
  readonly oldestAt: Date | undefined
  /** Rows past their time that are not held, counted up to 10,000; undefined if that took too long. */
  readonly due: number | undefined
  readonly lastRun: RetentionRun | undefined
}

/** The last run over a class. */
interface RetentionRun {
  readonly class: string
  readonly startedAt: Date
  readonly endedAt: Date | undefined
  /** When all that was past its time had last gone. */
  readonly completeAt: Date | undefined
  readonly removed: number
  readonly lastRemoved: number
  readonly error: string | undefined
}

/** Looks at every class, for one organisation or for all; a look takes two seconds a table at most. */
export async function readRetention(
  pool: Pool,
  { classes }: Pick<RetentionCatalogue, 'classes'>,
  { tenant }: { tenant?: string } = {},
): Promise<RetentionStatus[]> {
  const settings = await readSettings(pool)
  const runs = await readRuns(pool)
  const statuses: RetentionStatus[] = []
  for (const dataClass of classes) {
    const keep = effectiveKeep(dataClass, settings)
    // An organisation may be called `constructor`.
    const isOwn = tenant !== undefined && Object.hasOwn(keep.keeps, tenant)
    const own = isOwn ? keep.keeps[tenant] : undefined
    const isSet = settings.some((each) => each.class === dataClass.name && each.tenant === '')
    const keepMs = own ?? keep.keepMs
    statuses.push({
      dataClass,
      keepMs: isForever(keepMs) ? undefined : keepMs,
      setBy: own !== undefined ? 'organisation' : isSet ? 'platform' : 'default',
      oldestAt: (await oldestOf(pool, dataClass, tenant ?? null)) ?? undefined,
      due: await countClass(pool, dataClass, { keep, tenant }),
      lastRun: runs.find((each) => each.class === dataClass.name),
    })
  }
  return statuses
}

export async function readRuns(db: Queryable): Promise<RetentionRun[]> {
  const { rows } = await db.query<RowOf<RetentionRun>>(selectRuns)
  return rows.map(fromRow<RetentionRun>)
}

async function countClass(
  pool: Pool,
  { rules = [] }: DataClass,
  { keep, tenant }: { keep: ReturnType<typeof effectiveKeep>; tenant: string | undefined },
): Promise<number | undefined> {
  let total = 0
  for (const rule of isForever(keep.shortestMs) ? [] : rules) {
    const args = {
      ...keep,
      keeps: JSON.stringify(keep.keeps),
      tenant: tenant ?? null,
      limit: MOST_COUNTED,
    }
    const [row] = await look(pool, (tx) =>
      run<{ count: number }>(tx, { ...countDue(rule), name: '' }, args),
    )
    if (!row) return undefined
    total += row.count
  }
  return Math.min(total, MOST_COUNTED)
}

/** Whether organisations can set a time of their own. */
export function isPerOrganisation({ rules = [], fixed }: DataClass): boolean {
  return fixed !== true && rules.some(({ org }) => org !== undefined)
}

export type RetentionSet =
  | { readonly kind: 'set' }
  | { readonly kind: 'unknownClass' }
  /** Other code depends on the time. */
  | { readonly kind: 'fixed' }
  /** Rows of all organisations go together. */
  | { readonly kind: 'platformOnly' }
  | { readonly kind: 'tooShort'; readonly least: Duration }

/**
 * Sets how long a class is kept, for one organisation or, without a tenant, for all that have not set
 * it; `undefined` goes back to what holds otherwise.
 */
export async function setRetention(
  tx: Transaction,
  { classes }: Pick<RetentionCatalogue, 'classes'>,
  change: {
    readonly class: string
    readonly tenant?: string
    readonly keep: Parameters<typeof keepMsOf>[0] | undefined
    readonly by: string
  },
): Promise<RetentionSet> {
  const { class: name, tenant = '', keep, by } = change
  const dataClass = classes.find((each) => each.name === name)
  if (!dataClass) return { kind: 'unknownClass' }
  if (dataClass.fixed === true) return { kind: 'fixed' }
  if (tenant !== '' && !isPerOrganisation(dataClass)) return { kind: 'platformOnly' }
  if (keep === undefined) {
    await tx.query(deleteSetting({ class: name, tenant, by }))
    return { kind: 'set' }
  }
  const { least = '0ms' } = dataClass
  const keepMs = keepMsOf(keep)
  if (keepMs < toMs(least)) return { kind: 'tooShort', least }
  await tx.query(upsertSetting({ class: name, tenant, keepMs, by }))
  return { kind: 'set' }
}
