import type { Queryable } from '../enqueue/transaction.ts'
import { selectRecurring } from '../sql/recurring.ts'

/** A message that an outbox gives itself again and again. */
export interface RecurringStatus {
  readonly outbox: string
  readonly name: string
  /** `every 30s`, or `cron 0 6 * * * Europe/Zurich`. */
  readonly rule: string
  /** By the business clock; undefined when there will be no other. */
  readonly nextAt: Date | undefined
  /** The last time that was enqueued, with its message. */
  readonly lastAt: Date | undefined
  readonly lastMessage: string | undefined
  readonly enqueued: number
  /** Due for more than a minute: no relay that has it runs, or it fails. */
  readonly overdue: boolean
  /** Why it could not be enqueued. */
  readonly error: string | undefined
}

/** All recurring messages of a database, whichever process defines them. */
export async function listRecurring(db: Queryable): Promise<RecurringStatus[]> {
  const { rows } = await db.query<{
    outbox: string
    name: string
    rule: string
    next_at: Date | null
    last_at: Date | null
    last_message: string | null
    enqueued: number
    overdue: boolean
    error: string | null
  }>(selectRecurring)
  return rows.map((row) => ({
    outbox: row.outbox,
    name: row.name,
    rule: row.rule,
    nextAt: row.next_at ?? undefined,
    lastAt: row.last_at ?? undefined,
    lastMessage: row.last_message ?? undefined,
    enqueued: row.enqueued,
    overdue: row.overdue,
    error: row.error ?? undefined,
  }))
}
