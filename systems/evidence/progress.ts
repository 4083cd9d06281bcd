import type { Log, Queryable } from '@posthorn/engine'
import { announce } from '@posthorn/engine/operate'
import { countsOf, type FileJob, type Tally } from './jobs/job.ts'

/** AnnouncementFeed of jobs for whoever looks at them. */
export interface Progress {
  /** Rows of a job are stored, or what became of them was added up. Never throws. */
  changed(db: Queryable, job: FileJob & Partial<Tally>): Promise<void>
}

/** A person does not see more than a few changes in a second. */
const EVERY_MS = 300
const MOST_JOBS = 10_000

export function createProgress(log: Log): Progress {
  const told = new Map<string, number>()

  /** What ends something is always told; of the rest only so much. */
  function isDue({ id, status, total_rows: total, rows_read: read }: FileJob): boolean {
    const now = performance.now()
    const isEnd = status === 'COMPLETED' || status === 'REJECTED' || total === read
    if (!isEnd && now - (told.get(id) ?? -Infinity) < EVERY_MS) return false
    if (told.size >= MOST_JOBS) told.clear()
    told.set(id, now)
    return true
  }

  return {
    async changed(db, job) {
      if (!isDue(job)) return
      try {
        const { id, org_id: tenant } = job
        await announce(db, { topic: 'evidence.job', id, tenant, data: newsOf(job) })
      } catch (error) {
        log.warn({ err: error, fileJobId: job.id }, 'the progress of a file job was not announced')
      }
    },
  }
}

function newsOf(job: FileJob & Partial<Tally>): Record<string, unknown> {
  const { pending, published, failed, success, error, per_second: perSecond } = job
  const counted =
    pending === undefined ||
    published === undefined ||
    failed === undefined ||
    success === undefined ||
    error === undefined
      ? {}
      : { counts: countsOf({ pending, published, failed, success, error }), perSecond }
  return {
    status: job.status,
    reason: job.reason,
    rowsRead: job.rows_read,
    expectedRows: job.expected_rows,
    totalRows: job.total_rows,
    ...counted,
  }
}
