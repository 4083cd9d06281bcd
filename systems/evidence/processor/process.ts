import { type Log, transaction } from '@posthorn/engine'
import type { Notify } from '@posthorn/system'
import type { Pool } from 'pg'
import type { Archive } from '../archive/archive.ts'
import type { ArchiveLimits } from '../archive/limits.ts'
import { openArchive } from '../archive/open.ts'
import type { FileJob } from '../jobs/job.ts'
import { countUsage } from '../jobs/queries.ts'
import type { RowsOutbox } from '../outbox.ts'
import type { Progress } from '../progress.ts'
import { notifyOnce } from '../results/notification.ts'
import type { Scanner } from '../scan/clamd.ts'
import type { Storage } from '../storage/storage.ts'
import { type Rejection, check, rejectionFor, rejectionOf } from './check.ts'
import {
  type JobClaim,
  insertFiles,
  listFiles,
  markParsed,
  markRejected,
  markStaged,
} from './queries.ts'
import { stageFiles } from './staging.ts'
import { JobLost, storeRows } from './storing.ts'

export interface ProcessorOptions {
  readonly pool: Pool
  readonly log: Log
  readonly storage: Storage
  readonly outbox: RowsOutbox
  readonly notify: Notify
  readonly progress: Progress
  readonly limits: ArchiveLimits & { readonly rows: number }
  /** Looks at every evidence file before it is kept; undefined for none. */
  readonly scanner?: Scanner | undefined
  /** Rows of one merchant in 24 hours; its objects wait once they are used up. */
  readonly rowsPerDay?: number
  /** Rows stored in one transaction; default 1,000. */
  readonly batchRows?: number
  /** Where ZIPs are copied to while they are read; default the folder for temporary files. */
  readonly spoolFolder?: string | undefined
}

/** Until a file that waits for its merchant's daily limit is looked at again. */
const LIMIT_MS = 10 * 60_000

/** The file cannot be read now, through no fault of its own; it is tried again. */
export class JobWaits extends Error {
  readonly reason: NonNullable<FileJob['waits_for']>
  readonly afterMs: number

  constructor(reason: NonNullable<FileJob['waits_for']>, afterMs: number, options?: ErrorOptions) {
    super(`the file waits: ${reason}`, options)
    this.name = 'JobWaits'
    this.reason = reason
    this.afterMs = afterMs
  }
}

/** After so many processes in a row that died over a file, it is the file. */
const MOST_LOST = 3

/**
 * Reads a file: checks all of it, stages its evidence, stores its rows. The first two can reject it
 * and leave no row; the third cannot. Each begins where a process before this one came to.
 */
export async function processJob(
  options: ProcessorOptions,
  claim: JobClaim,
  signal: AbortSignal,
): Promise<'parsed' | 'rejected'> {
  const { storage } = options
  const { job } = claim
  if (job.cancelled_at !== null) return endCancelled(options, claim)
  if (job.lost_claims >= MOST_LOST && job.staged_at === null) {
    const detail = 'The file could not be read: every attempt ended without an answer.'
    return reject(options, claim, rejectionFor('PROCESSING_FAILED', detail))
  }
  await awaitDailyLimit(options, job)
  const changed = await objectProblem(storage, job)
  if (changed && job.rows_read === 0) return reject(options, claim, changed)
  // Rows of it are on their way: it waits for a person to bring the file back.
  if (changed) throw new Error(`file job ${job.id}: ${changed.detail}`)
  signal.throwIfAborted()
  const source = {
    ...{ storage, key: job.storage_key, signal },
    ...(job.storage_version !== null && { version: job.storage_version }),
    ...(options.spoolFolder !== undefined && { spoolFolder: options.spoolFolder }),
  }
  const opened = await openArchive(source, options.limits)
  if (opened.kind === 'rejected') return reject(options, claim, opened)
  const { archive } = opened
  try {
    const refusal = await stage(options, { claim, archive, signal })
    if (refusal) return await reject(options, claim, refusal)
    await store(options, { claim, archive, signal })
    return 'parsed'
  } finally {
    await archive.close()
  }
}

/** An object comes by itself: there was no client to refuse. */
async function awaitDailyLimit({ pool, rowsPerDay }: ProcessorOptions, job: FileJob) {
  if (job.bucket === null || rowsPerDay === undefined || job.staged_at !== null) return
  const { rows } = await countUsage(pool, job.org_id)
  if (rows >= rowsPerDay) throw new JobWaits('DAILY_LIMIT', LIMIT_MS)
}

/** What is stored is all there will be. Without a row there is nothing to report on. */
async function endCancelled(
  options: ProcessorOptions,
  claim: JobClaim,
): Promise<'parsed' | 'rejected'> {
  const { rows_read: stored, cancel_reason: reason } = claim.job
  if (stored === 0) {
    const detail = `The file was cancelled before its rows were read: ${reason ?? ''}`
    return reject(options, claim, rejectionFor('CANCELLED', detail))
  }
  await endRows(options, claim, stored)
  return 'parsed'
}

async function endRows(
  { pool, outbox }: ProcessorOptions,
  claim: JobClaim,
  total: number,
): Promise<void> {
  const parsed = await transaction(pool, (tx) => {
    tx.ringLater(outbox.bell)
    return markParsed(tx, claim, total)
  })
  if (!parsed) throw new JobLost(claim.job.id)
}

interface Work {
  readonly claim: JobClaim
  readonly archive: Archive
  readonly signal: AbortSignal
}

/** The file must be the one that was announced, or rows of two files would be mixed. */
async function objectProblem(storage: Storage, job: FileJob): Promise<Rejection | undefined> {
  const now = await storage.head(job.storage_key)
  if (job.storage_version !== null) return undefined
  if (!now) return rejectionFor('OBJECT_MISSING', 'The file is no longer there.')
  if (now.etag === job.storage_etag) return undefined
  return rejectionFor('OBJECT_CHANGED', 'The file was replaced by another one before it was read.')
}

async function stage(options: ProcessorOptions, work: Work): Promise<Rejection | undefined> {
  const { pool, storage, limits, progress } = options
  const { claim, archive, signal } = work
  if (claim.job.staged_at !== null) return undefined
  const checked = await check(archive, { maxRows: limits.rows, signal })
  if (checked.kind === 'rejected') return checked
  const before = await listFiles(pool, claim.job.id)
  try {
    await stageFiles({
      ...{ storage, archive, signal, jobId: claim.job.id, scanner: options.scanner },
      files: checked.files,
      done: new Set(before.map(({ name }) => name)),
      remember: (files) => transaction(pool, (tx) => insertFiles(tx, claim, files)),
    })
  } catch (error) {
    return rejectionOf(error)
  }
  await transaction(pool, async (tx) => {
    const job = await markStaged(tx, claim, checked)
    if (!job) throw new JobLost(claim.job.id)
    await progress.noteChange(tx, job)
  })
  return undefined
}

async function store(options: ProcessorOptions, { claim, archive, signal }: Work): Promise<void> {
  const { pool, outbox, progress, batchRows = 1_000 } = options
  const { job } = claim
  const files = new Map((await listFiles(pool, job.id)).map((file) => [file.name, file]))
  const total = await storeRows({
    ...{ pool, outbox, claim, archive, files, batchRows, signal },
    stored: (rows) => void progress.noteChange(pool, { ...job, rows_read: rows }),
  })
  await endRows(options, claim, total)
}

async function reject(
  { pool, notify, progress, storage, log }: ProcessorOptions,
  claim: JobClaim,
  rejection: Rejection,
): Promise<'rejected'> {
  const { id: jobId, org_id: org, filename } = claim.job
  const { reason, detail } = rejection
  await transaction(pool, async (tx) => {
    if (!(await markRejected(tx, claim, rejection))) throw new JobLost(jobId)
    await notifyOnce(tx, notify, {
      ...{ jobId, org, kind: 'REJECTED', round: 1, success: 0, pendingRetries: 0, errors: 0 },
      ...{ message: `Rejected: ${detail}`, filename },
      more: { reason, filename },
    })
    await progress.noteChange(tx, {
      ...claim.job,
      status: 'REJECTED',
      reason,
      reason_detail: detail,
    })
  })
  await forget(storage, jobId).catch((error: unknown) => {
    log.warn(
      { err: error, fileJobId: jobId },
      'removing staged files of a rejected job failed; they remain',
    )
  })
  return 'rejected'
}

async function forget(storage: Storage, jobId: string): Promise<void> {
  for await (const { key } of storage.list(`staging/${jobId}/`)) {
    await storage.remove(key)
  }
}
