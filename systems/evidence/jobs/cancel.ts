import { transaction, type Log } from '@posthorn/engine'
import type { Pool } from 'pg'
import { ringReaders } from '../processor/outbox.ts'
import type { RowsOutbox } from '../outbox.ts'
import type { FileJob } from './job.ts'
import { listCancelled, lockJob, markCancelled, stopRows, type JobKey } from './queries.ts'

export interface Cancellation extends JobKey {
  readonly by: string
  readonly reason: string
}

export type Cancelled =
  | { readonly kind: 'cancelled'; readonly job: FileJob }
  /** It has come to its end already. */
  | { readonly kind: 'ended'; readonly job: FileJob }
  | { readonly kind: 'unknown' }

/**
 * Cancels a job. A process that reads the file loses it here; rows that are not published are stopped
 * by `stopCancelled`, and those that are published come to their outcome. Cancelling it again changes
 * nothing.
 */
export async function cancelJob(
  pool: Pool,
  outbox: RowsOutbox,
  cancellation: Cancellation,
): Promise<Cancelled> {
  return transaction(pool, async (tx) => {
    const job = await lockJob(tx, cancellation)
    if (!job) return { kind: 'unknown' }
    if (job.status === 'COMPLETED' || job.status === 'REJECTED') return { kind: 'ended', job }
    if (job.cancelled_at !== null) return { kind: 'cancelled', job }
    // Whoever takes the file next ends it, and `stopCancelled` its rows.
    ringReaders(tx)
    tx.ringLater(outbox.bell)
    return { kind: 'cancelled', job: await markCancelled(tx, cancellation) }
  })
}

/** Rows stopped in one transaction: they are locked until it ends. */
const BATCH = 2_000

/** Stops the rows of cancelled jobs that wait, a batch at a time; returns how many those were. */
export async function stopCancelled({ pool, log }: { pool: Pool; log: Log }): Promise<number> {
  let stopped = 0
  for (const { id, org_id: org, cancelled_by: by } of await listCancelled(pool)) {
    for (;;) {
      const batch = await transaction(pool, (tx) =>
        stopRows(tx, { jobId: id, org, by: by ?? 'OPERATOR', limit: BATCH }),
      )
      stopped += batch
      if (batch > 0) log.info({ fileJobId: id, rows: batch }, 'rows of a cancelled file stopped')
      if (batch < BATCH) break
    }
  }
  return stopped
}
