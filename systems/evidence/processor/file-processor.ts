import { randomUUID } from 'node:crypto'
import { backOff, transaction } from '@posthorn/engine'
import { type PeriodicTask, raiseAlert, recoverAlert } from '@posthorn/operate'
import type { FileJob } from '../jobs/job.ts'
import { ScannerAway } from '../scan/clamd.ts'
import { JobWaits, type ProcessorOptions, processJob } from './process.ts'
import { type JobClaim, claimJob, releaseJob, renewJob } from './queries.ts'
import { JobLost } from './storing.ts'

export interface FileProcessorOptions extends ProcessorOptions {
  /** Files read at once in this process. */
  readonly lanes: number
  readonly everyMs: number
  readonly nudge: Nudge
}

/** What the first lane takes: however many giants come, a small file is read at once. */
const SMALL_BYTES = 5_000_000

const AGAIN = { firstMs: 1_000, mostMs: 300_000 }
/** Failures in a row until an alert is raised. */
const ALERT_AT = 3
const SOURCE = 'evidence.file-processor'

/** Read uploaded files, each one at a time, in any number of processes. */
export function fileProcessors(options: FileProcessorOptions): PeriodicTask[] {
  const { lanes, everyMs, nudge } = options
  return Array.from({ length: lanes }, (_, i) => {
    const maxSize = i === 0 && lanes > 1 ? SMALL_BYTES : Number.MAX_SAFE_INTEGER
    return {
      name: `${SOURCE}-${i + 1}`,
      everyMs,
      pause: nudge.sleep,
      async step(signal) {
        return (await processNext(options, { maxSize, signal })) ? 'more' : undefined
      },
    }
  })
}

/** Reads one file, if there is one; false if not. */
export async function processNext(
  options: ProcessorOptions,
  { maxSize, signal }: { maxSize: number; signal: AbortSignal },
): Promise<boolean> {
  const { pool, leaseMs, log } = options
  const token = randomUUID()
  const job = await claimJob(pool, { token, leaseMs, maxSize })
  if (!job) return false
  const claim = { job, token }
  if (job.lost_claims >= ALERT_AT) {
    await alertOperator(options, job, 'Every process that read the file has crashed.')
  }
  const lease = keepLease(options, claim)
  const stop = AbortSignal.any([signal, lease.signal])
  try {
    const outcome = await processJob(options, claim, stop)
    log.info({ fileJobId: job.id, org: job.org_id, outcome }, 'file read')
    if (job.waits_for === 'SCANNER') {
      await transaction(pool, (tx) => recoverAlert(tx, SCANNER_ALERT))
    }
    if (job.failures >= ALERT_AT || job.lost_claims >= ALERT_AT) {
      await transaction(pool, (tx) => recoverAlert(tx, { source: SOURCE, subject: job.id }))
    }
  } catch (error) {
    await noteFailure(options, claim, { error, signal: stop })
  } finally {
    lease.end()
  }
  return true
}

/** Renews the lease while the file is read, and aborts when it is lost. */
function keepLease({ pool, leaseMs, log }: ProcessorOptions, claim: JobClaim) {
  const lost = new AbortController()
  const renew = async () => {
    const kept = await renewJob(pool, claim, leaseMs).catch((error: unknown) => {
      log.warn({ err: error, fileJobId: claim.job.id }, 'lease renewal failed; reading goes on')
      return true
    })
    if (!kept) lost.abort(new JobLost(claim.job.id))
  }
  const timer = setInterval(() => void renew(), leaseMs / 3)
  return { signal: lost.signal, end: () => clearInterval(timer) }
}

/** A failure that is not the file's is tried again, later each time. */
async function noteFailure(
  options: ProcessorOptions,
  claim: JobClaim,
  { error, signal }: { error: unknown; signal: AbortSignal },
): Promise<void> {
  const { pool, log } = options
  const { id, failures } = claim.job
  if (error instanceof JobLost) {
    log.warn({ fileJobId: id }, 'file taken over by another process; this one stops')
    return
  }
  const waits = toWait(error, failures)
  if (waits && !signal.aborted) {
    const { reason, afterMs } = waits
    await releaseJob(pool, claim, {
      afterMs,
      failed: reason === 'SCANNER' ? 1 : 0,
      waitsFor: reason,
    })
    log.warn({ err: error, fileJobId: id, afterMs, reason }, 'a file waits; it is tried again')
    if (error instanceof ScannerAway) await alertScanner(options, error.message)
    return
  }
  // A process that stops gives its files back at once.
  const stopped = signal.aborted
  const afterMs = stopped ? 0 : backOff(failures, AGAIN)
  if (!stopped)
    log.error({ err: error, fileJobId: id, afterMs }, 'reading a file failed; it is tried again')
  const now = await releaseJob(pool, claim, { afterMs, failed: stopped ? 0 : 1 })
  if (now === undefined || now < ALERT_AT) return
  await alertOperator(options, claim.job, error instanceof Error ? error.message : String(error))
}

/** What a failure says about the file: nothing, it only has to wait. */
function toWait(error: unknown, failures: number): JobWaits | undefined {
  if (error instanceof JobWaits) return error
  if (!(error instanceof ScannerAway)) return undefined
  return new JobWaits('SCANNER', backOff(failures, AGAIN), { cause: error })
}

const SCANNER_ALERT = { source: 'evidence.scanner', subject: 'clamd' }

async function alertScanner({ pool }: ProcessorOptions, detail: string): Promise<void> {
  const alert = { ...SCANNER_ALERT, code: 'SCANNER_AWAY', detail: `Files wait: ${detail}` }
  await transaction(pool, (tx) => raiseAlert(tx, alert))
}

async function alertOperator(
  { pool }: ProcessorOptions,
  { id: subject, org_id: tenant }: FileJob,
  detail: string,
): Promise<void> {
  const alert = { source: SOURCE, subject, tenant, code: 'FILE_JOB_STUCK', detail }
  await transaction(pool, (tx) => raiseAlert(tx, alert))
}

/** Lets a worker sleep until there may be work. A lost ring costs only time. */
interface Nudge {
  /** Ends the sleep of all, and the next one of those who are awake. */
  ring(): void
  /** Sleeps so long, or until a ring or the signal's abort. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
}

export function createNudge(): Nudge {
  let rings = 0
  let seen = 0
  const sleepers = new Set<() => void>()
  return {
    ring() {
      rings += 1
      for (const wake of sleepers) wake()
    },
    sleep(ms, signal) {
      return new Promise((resolve) => {
        if (signal.aborted || rings > seen) {
          seen = rings
          return resolve()
        }
        const wake = () => {
          clearTimeout(timer)
          sleepers.delete(wake)
          signal.removeEventListener('abort', wake)
          seen = rings
          resolve()
        }
        const timer = setTimeout(wake, ms)
        sleepers.add(wake)
        signal.addEventListener('abort', wake)
      })
    },
  }
}
