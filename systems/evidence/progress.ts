import type { Log, Queryable } from '@posthorn/engine'
import { announce } from '@posthorn/operate'
import { countsOf, type FileJob, type Tally } from './jobs/job.ts'

/** Announces the progress of jobs. */
export interface Progress {
  /** Rows of a job are stored, or what became of them was added up. Never throws. */
  noteChange(db: Queryable, job: FileJob | (FileJob & Tally)): Promise<void>
}

/** A person does not see more than a few changes in a second. */
const EVERY_MS = 300
const MOST_JOBS = 10_000

export function createProgress(log: Log): Progress {
  const announcedAt = new Map<string, number>()

  /** An end is always announced; the rest at most every 300 ms. */
  function isDue({ id, status, total_rows: total, rows_read: read }: FileJob): boolean {
    const now = performance.now()
    const isEnd = status === 'COMPLETED' || status === 'REJECTED' || total === read
    if (!isEnd && now - (announcedAt.get(id) ?? -Infinity) < EVERY_MS) return false
    if (announcedAt.size >= MOST_JOBS) announcedAt.clear()
    announcedAt.set(id, now)
    return true
  }

  return {
    async noteChange(db, job) {
      if (!isDue(job)) return
      try {
        const { id, org_id: tenant } = job
        await announce(db, { topic: 'evidence.job', id, tenant, data: progressOf(job) })
      } catch (error) {
        log.warn(
          { err: error, fileJobId: job.id },
          'announcing progress failed; the next change announces again',
        )
      }
    },
  }
}

function progressOf(job: FileJob | (FileJob & Tally)): Record<string, unknown> {
  return {
    status: job.status,
    reason: job.reason,
    rowsRead: job.rows_read,
    expectedRows: job.expected_rows,
    totalRows: job.total_rows,
    ...('pending' in job && { counts: countsOf(job), perSecond: job.per_second }),
  }
}
