import { enqueue } from '../enqueue/enqueue.ts'
import type { Queryable, Transaction } from '../database/transaction.ts'
import { PosthornError } from '../errors.ts'
import type { Outbox } from '../outbox/define.ts'
import { nextAfter } from '../outbox/recurring.ts'
import { ruleInWords, ruleOf } from './rule-in-words.ts'
import {
  lockRecurring,
  noteRecurringRun,
  pauseRecurringRow,
  resumeRecurringRow,
  selectRecurring,
  type RecurringName,
  type RecurringRow,
} from './recurring.sql.ts'
import { notifyWakes } from '../database/wake.sql.ts'
import { signed, type Operator } from './replay.ts'

/** A message that an outbox gives itself again and again. */
export interface RecurringStatus {
  readonly outbox: string
  readonly name: string
  /** `every 30s`, or `cron 0 6 * * * Europe/Zurich`. */
  readonly rule: string
  /** `every 30 seconds`, or `every day at 06:00, Europe/Zurich`. */
  readonly inWords: string
  /** Undefined for lengths of time, which are the same everywhere. */
  readonly timeZone: string | undefined
  /** What becomes of times at which no relay ran; undefined until a relay has noted it. */
  readonly missed: 'latest' | 'all' | 'skip' | undefined
  /** By the business clock; undefined when there will be no other. While paused, where it goes on. */
  readonly nextAt: Date | undefined
  /** The last time that was enqueued, with its message. */
  readonly lastAt: Date | undefined
  readonly lastMessage: string | undefined
  readonly enqueued: number
  /** Due for more than a minute and not paused: no relay that has it runs, or it fails. */
  readonly overdue: boolean
  /** Why it could not be enqueued. */
  readonly error: string | undefined
  /** Undefined while it is not paused. */
  readonly paused: { readonly at: Date; readonly by: string; readonly reason?: string } | undefined
  /** When an operator ran it last beside its schedule. */
  readonly run: { readonly at: Date; readonly by: string } | undefined
}

/** All recurring messages of a database, whichever process defines them, or those of one outbox. */
export async function listRecurring(
  db: Queryable,
  { outbox }: { outbox?: string } = {},
): Promise<RecurringStatus[]> {
  const { rows } = await db.query<RecurringRow>(selectRecurring(outbox ? { outbox } : {}))
  return rows.map(statusOf)
}

/** A recurring message after an operator paused it or let it go on. */
export interface SteeredRecurring {
  /** False: it was so before, as `status` says. */
  readonly changed: boolean
  readonly status: RecurringStatus
}

/**
 * Stops one recurring message in every process. A relay that is enqueueing it ends first, so that
 * there is none once this is committed. Undefined if the database has none of that name.
 */
export async function pauseRecurring(
  tx: Transaction,
  which: RecurringName,
  operator: Operator,
): Promise<SteeredRecurring | undefined> {
  const { rows } = await tx.query<Changed>(pauseRecurringRow({ ...which, ...signed(operator) }))
  return steered(tx, which, rows)
}

/** How a recurring message goes on. */
export interface ResumeRecurring extends Operator {
  /** `skip` leaves out the times of the pause; by default the definition's `missed` decides. */
  readonly missed?: 'skip'
}

/** Lets a recurring message go on, and wakes the relays. Undefined if there is none of that name. */
export async function resumeRecurring(
  tx: Transaction,
  which: RecurringName,
  { missed, ...operator }: ResumeRecurring,
): Promise<SteeredRecurring | undefined> {
  const { rows: found } = await tx.query<Locked>(lockRecurring(which))
  const [row] = found
  if (!row) return undefined
  const isBehind = row.next_at !== null && row.next_at <= row.now
  const nextAt =
    missed === 'skip' && isBehind ? (nextAfter(ruleOf(row.rule), row.now) ?? null) : row.next_at
  const { rows } = await tx.query<Changed>(
    resumeRecurringRow({ ...which, ...signed(operator), nextAt }),
  )
  // Those that sleep until their next time do not know of this one.
  await tx.query(notifyWakes(['ring *']))
  return steered(tx, which, rows)
}

/** One occurrence more, beside the schedule. */
export interface RunRecurring extends Operator {
  readonly name: string
  /**
   * The `run` that the operator saw last, null for none: if another has run it since, nothing is
   * enqueued. Left out, it runs in any case.
   */
  readonly seen?: Date | null
}

/** What became of it. */
export type RecurringRun =
  | { readonly kind: 'enqueued'; readonly message: string; readonly created: boolean }
  /** Another operator ran it since `seen`. */
  | { readonly kind: 'ran'; readonly at: Date; readonly by: string }
  /** The definition of this process does not have it, or no relay has noted it. */
  | { readonly kind: 'unknown' }

/**
 * Enqueues a recurring message now, paused or not; when it is due next stays as it is. Its message is
 * made by the definition of this process. Throws `RECURRING_FAILED` if that, or the table, refuses.
 */
export async function runRecurring<Row>(
  tx: Transaction,
  outbox: Outbox<Row>,
  { name, seen, ...operator }: RunRecurring,
): Promise<RecurringRun> {
  const which = { outbox: outbox.name, name }
  const recurring = Object.hasOwn(outbox.recurring, name) ? outbox.recurring[name] : undefined
  const { rows } = await tx.query<Locked>(lockRecurring(which))
  const [row] = rows
  if (!row || !recurring) return { kind: 'unknown' }
  const { now: at, run_at: ranAt, run_by: ranBy } = row
  if (seen !== undefined && ranAt !== null && ranAt.getTime() !== seen?.getTime()) {
    return { kind: 'ran', at: ranAt, by: ranBy ?? '' }
  }
  const { id, created } = await attempt(which, async () =>
    enqueue(tx, outbox, await recurring.message({ name, at })),
  )
  await tx.query(noteRecurringRun({ ...which, ...signed(operator), at, message: id }))
  return { kind: 'enqueued', message: id, created }
}

async function attempt<Result>(
  { outbox, name }: RecurringName,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new PosthornError('RECURRING_FAILED', `${name} of ${outbox}: ${why}`, { cause })
  }
}

type Locked = Pick<RecurringRow, 'rule' | 'next_at' | 'run_at' | 'run_by'> & { readonly now: Date }
type Changed = { readonly changed: number }

async function steered(
  tx: Transaction,
  which: RecurringName,
  [row]: readonly Changed[],
): Promise<SteeredRecurring | undefined> {
  const { rows } = await tx.query<RecurringRow>(selectRecurring(which))
  const [found] = rows
  return found && { changed: row?.changed === 1, status: statusOf(found) }
}

function statusOf(row: RecurringRow): RecurringStatus {
  const { outbox, name, rule, enqueued, overdue } = row
  return {
    ...{ outbox, name, rule, enqueued, overdue },
    inWords: ruleInWords(rule),
    timeZone: ruleOf(rule).timeZone,
    missed: row.missed ?? undefined,
    nextAt: row.next_at ?? undefined,
    lastAt: row.last_at ?? undefined,
    lastMessage: row.last_message ?? undefined,
    error: row.error ?? undefined,
    paused: row.paused_at
      ? {
          at: row.paused_at,
          by: row.paused_by ?? '',
          ...(row.pause_reason !== null && { reason: row.pause_reason }),
        }
      : undefined,
    run: row.run_at ? { at: row.run_at, by: row.run_by ?? '' } : undefined,
  }
}
