import { transaction, type Log, type Transaction } from '@posthorn/engine'
import type { PeriodicTask } from '@posthorn/operate'
import type { Notify } from '@posthorn/system'
import type { Pool } from 'pg'
import { stopCancelled } from '../jobs/cancel.ts'
import type { FileJob, Tally } from '../jobs/job.ts'
import type { RowsOutbox } from '../outbox.ts'
import type { Progress } from '../progress.ts'
import { finalMessage, initialMessage, notifyOnce, type Results } from './notification.ts'
import { addUp, completeJob, isNotified, listChanged, reopenJob, updateResults } from './queries.ts'

export interface ResultsOptions {
  readonly pool: Pool
  readonly log: Log
  readonly notify: Notify
  readonly progress: Progress
  readonly outbox?: RowsOutbox
  /** Between two looks: what happens within it is one update of a counter. */
  readonly everyMs: number
}

const MOST_JOBS = 5_000

/** Adds up what became of rows, and tells the merchants when all of a job have come so far. */
export function resultsWorker(options: ResultsOptions): PeriodicTask {
  return {
    name: 'evidence.results',
    everyMs: options.everyMs,
    idleMs: 5_000,
    // Rows are stored, or their outcomes came.
    ...(options.outbox && { bell: options.outbox.bell }),
    async step() {
      const stopped = await stopCancelled(options)
      return stopped + (await addUpAll(options)) > 0 ? undefined : 'idle'
    },
  }
}

/** One look at every job of which something changed; returns how many those were. */
export async function addUpAll(options: ResultsOptions): Promise<number> {
  const { pool, log, progress } = options
  const ids = await listChanged(pool, MOST_JOBS)
  for (const id of ids) {
    try {
      await transaction(pool, async (tx) => {
        const job = await addUp(tx, id)
        if (!job) return
        await conclude(tx, job, options.notify)
        await progress.noteChange(tx, job)
      })
    } catch (error) {
      log.error({ err: error, fileJobId: id }, 'counting the rows of a file failed; trying again')
    }
  }
  return ids.length
}

/** Sends the merchant the notifications that the tally allows: N1, then N2. */
async function conclude(tx: Transaction, job: FileJob & Tally, notify: Notify): Promise<void> {
  const { id, org_id: org, filename, total_rows: total, round } = job
  if (total === null) return
  const isTerminal = job.success + job.error === total
  if (job.status === 'COMPLETED') {
    // An operator has replayed rows past this system.
    if (!isTerminal) await reopenJob(tx, id)
    return
  }
  const firsts: Results = {
    success: job.first_success,
    pendingRetries: job.first_failed,
    errors: job.first_error,
  }
  if (firsts.success + firsts.pendingRetries + firsts.errors < total) return
  if (!(await isNotified(tx, { jobId: id, kind: 'N1' }))) {
    const message = initialMessage(firsts)
    const first = { jobId: id, org, filename, kind: 'N1', round: 1, message, ...firsts } as const
    if (await notifyOnce(tx, notify, first)) await updateResults(tx, id, firsts)
  }
  if (!isTerminal) return
  const finals: Results = { success: job.success, pendingRetries: 0, errors: job.error }
  const message = finalMessage(finals)
  await notifyOnce(tx, notify, { jobId: id, org, filename, kind: 'N2', round, message, ...finals })
  await updateResults(tx, id, finals)
  await completeJob(tx, id)
}
