import { transaction, type Transaction } from '@posthorn/engine'
import { replay } from '@posthorn/operate'
import type { Pool } from 'pg'
import { insertAuditEntry, lockJob, type JobKey } from '../jobs/queries.ts'
import type { RowsOutbox } from '../outbox.ts'
import { reopenJob } from '../results/queries.ts'
import { listRetryable } from './queries.ts'

/** Rows of one transaction: a million errors must not hold locks, and a connection, for minutes. */
const BATCH = 5_000
/** What is not done by then is left for another request; no client waits longer. */
const WITHIN_MS = 40_000

/**
 * Lets every error of a job be tried again once, except rows that were bad from the start. A completed
 * job begins another round. Returns how many; undefined if there is no such job, `filesRemoved` if
 * there is nothing left to attach, `cancelled` for a job that stays as it is.
 */
export async function retryErrors(
  pool: Pool,
  outbox: RowsOutbox,
  key: JobKey & { readonly by: string },
): Promise<number | 'filesRemoved' | 'cancelled' | undefined> {
  const giveUpAt = performance.now() + WITHIN_MS
  let requeued = 0
  for (let after = 0; performance.now() < giveUpAt;) {
    const from = after
    const batch = await transaction(pool, (tx) => retryBatch(tx, outbox, { ...key, after: from }))
    if (!batch || typeof batch === 'string') return batch
    requeued += batch.requeued
    if (batch.after === undefined) break
    after = batch.after
  }
  return requeued
}

async function retryBatch(
  tx: Transaction,
  outbox: RowsOutbox,
  { by, after, ...key }: JobKey & { readonly by: string; readonly after: number },
): Promise<
  { requeued: number; after: number | undefined } | 'filesRemoved' | 'cancelled' | undefined
> {
  const job = await lockJob(tx, key)
  if (!job) return undefined
  if (job.cancelled_at !== null) return 'cancelled'
  if (job.files_removed_at !== null) return 'filesRemoved'
  const found = await listRetryable(tx, { jobId: job.id, after, limit: BATCH })
  if (found.length === 0) return { requeued: 0, after: undefined }
  const ids = found.map(({ id }) => id)
  const reason = 'retry-errors'
  const replayed = await replay(tx, outbox, { filter: { ids }, limit: BATCH, by, reason })
  if (replayed.length > 0) {
    await reopenJob(tx, job.id)
    await insertAuditEntry(tx, {
      ...{ org: job.org_id, by, action: 'file_job.errors_retried' },
      ...{ entity: 'file_job', entityId: job.id, details: { rows: replayed.length } },
    })
  }
  const isLast = found.length < BATCH
  return { requeued: replayed.length, after: isLast ? undefined : found.at(-1)?.row_number }
}
