import { delivered, retryLater, transaction, type Handlers, type Outcome } from '@posthorn/engine'
import { raiseAlert, recoverAlert } from '@posthorn/operate'
import type { FileJob } from '../jobs/job.ts'
import { ScannerAway } from '../scan/clamd.ts'
import { largeFiles, smallFiles, type FileInHand } from './outbox.ts'
import { JobWaits, type ProcessorOptions, processJob } from './process.ts'
import { type JobClaim, noteWait, takeJob } from './queries.ts'
import { JobLost } from './storing.ts'

export interface FileProcessorOptions extends ProcessorOptions {
  /** Large files read at once in this process, and as many small ones. */
  readonly atOnce: number
}

/** Failures in a row until an alert is raised. */
const ALERT_AT = 3
const SOURCE = 'evidence.file-processor'

/** Read uploaded files, in any number of processes; the relay holds the claim of each meanwhile. */
export function fileProcessors(options: FileProcessorOptions): Handlers[] {
  const { atOnce } = options
  type Handling = { readonly payload: unknown; readonly signal: AbortSignal }
  const read = ({ payload, signal }: Handling) =>
    readFile(options, { ...(payload as FileInHand), signal })
  return [smallFiles, largeFiles].map((outbox) =>
    outbox.handle({ 'evidence.file': read }, { atOnce, transaction: false }),
  )
}

async function readFile(
  options: ProcessorOptions,
  { id, token, signal }: FileInHand & { readonly signal: AbortSignal },
): Promise<Outcome> {
  const { pool, log } = options
  const job = await takeJob(pool, { id, token })
  if (!job) return notOurs(id)
  // Its reader died between the last row and the note that it is read.
  if (job.total_rows !== null || job.status === 'REJECTED') return delivered()
  if (job.lost_claims >= ALERT_AT) {
    await alertOperator(options, job, 'Every process that read the file has crashed.')
  }
  const claim = { job, token }
  try {
    const outcome = await processJob(options, claim, signal)
    log.info({ fileJobId: id, org: job.org_id, outcome }, 'file read')
    if (job.waits_for === 'SCANNER') {
      await transaction(pool, (tx) => recoverAlert(tx, SCANNER_ALERT))
    }
    if (job.failures >= ALERT_AT || job.lost_claims >= ALERT_AT) {
      await transaction(pool, (tx) => recoverAlert(tx, { source: SOURCE, subject: id }))
    }
    return delivered()
  } catch (error) {
    return outcomeOf(options, claim, { error, isStopped: signal.aborted })
  }
}

/** Cancelled, or taken over by another process: whoever has it decides. */
function notOurs(id: string): Outcome {
  const message = `File job ${id} belongs to another process by now.`
  return retryLater({ code: 'FILE_TAKEN_OVER', message }, { after: '1ms', charge: false })
}

/** A failure that is not the file's is tried again, later each time. */
async function outcomeOf(
  options: ProcessorOptions,
  claim: JobClaim,
  { error, isStopped }: { readonly error: unknown; readonly isStopped: boolean },
): Promise<Outcome> {
  const { pool, log } = options
  const { id: fileJobId } = claim.job
  if (error instanceof JobLost) {
    log.warn({ fileJobId }, 'file taken over by another process; this one stops')
    return notOurs(fileJobId)
  }
  // A process that stops gives its files back at once.
  if (isStopped) return retryLater(error, { after: '1ms', charge: false })
  if (error instanceof JobWaits) {
    const { reason, afterMs } = error
    await noteWait(pool, claim, reason)
    log.warn({ fileJobId, afterMs, reason }, 'file not started; trying again')
    return retryLater(error, { after: `${afterMs}ms`, charge: false })
  }
  const isAway = error instanceof ScannerAway
  const failures = await noteWait(pool, claim, isAway ? 'SCANNER' : null)
  log.error({ err: error, fileJobId }, 'reading a file failed; trying again')
  const detail = error instanceof Error ? error.message : String(error)
  if (isAway) {
    const alert = { ...SCANNER_ALERT, code: 'SCANNER_AWAY', detail: `Files wait: ${detail}` }
    await transaction(pool, (tx) => raiseAlert(tx, alert))
  } else if ((failures ?? 0) + 1 >= ALERT_AT) {
    await alertOperator(options, claim.job, detail)
  }
  return retryLater(error)
}

const SCANNER_ALERT = { source: 'evidence.scanner', subject: 'clamd' }

async function alertOperator(
  { pool }: ProcessorOptions,
  { id: subject, org_id: tenant }: FileJob,
  detail: string,
): Promise<void> {
  const alert = { source: SOURCE, subject, tenant, code: 'FILE_JOB_STUCK', detail }
  await transaction(pool, (tx) => raiseAlert(tx, alert))
}
