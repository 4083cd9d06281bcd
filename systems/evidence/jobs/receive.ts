import { uuid, type Transaction } from '@posthorn/engine'
import { ringReaders } from '../processor/outbox.ts'
import type { FileJob } from './job.ts'
import {
  countUsage,
  findArrived,
  findByIdempotencyKey,
  findSameContent,
  insertJob,
  lockMerchant,
  lockObject,
  type NewJob,
} from './queries.ts'

/** What one merchant may have under way. */
export interface MerchantLimits {
  /** Files that are not read yet. */
  readonly unreadJobs: number
  /** Rows of the last 24 hours. */
  readonly rowsPerDay: number
}

export type Reception =
  | { readonly kind: 'created' | 'existing'; readonly job: FileJob }
  /** The idempotency key belongs to another upload. */
  | { readonly kind: 'reused' }
  | { readonly kind: 'limited'; readonly detail: string; readonly retryAfterSeconds: number }

/** An upload that is in storage: its job, once for each idempotency key of a merchant. */
export async function receiveUpload(
  tx: Transaction,
  upload: NewJob & { readonly sha256: string },
  { limits, sameWithinDays }: { limits: MerchantLimits; sameWithinDays: number },
): Promise<Reception> {
  const { org, idempotencyKey: key } = upload
  await lockMerchant(tx, org)
  const earlier = key === undefined ? undefined : await findByIdempotencyKey(tx, { org, key })
  if (earlier) {
    const same = earlier.request_fingerprint === upload.fingerprint
    return same ? { kind: 'existing', job: earlier } : { kind: 'reused' }
  }
  const limited = limitOf(await countUsage(tx, org), limits)
  if (limited) return limited
  const { sha256 } = upload
  const same =
    sameWithinDays > 0 && (await findSameContent(tx, { org, sha256, days: sameWithinDays }))
  const warnings = same ? [sameWarning(same)] : []
  const job = await insertJob(tx, { ...upload, warnings })
  ringReaders(tx)
  if (!job) throw new Error('an upload with this id and key already has a job')
  return { kind: 'created', job }
}

function sameWarning({ id, filename, created_at: at }: FileJob): string {
  const day = at.toISOString().slice(0, 10)
  return `The same file was uploaded on ${day} as ${filename} (job ${id}). Its rows are sent again.`
}

/** What a merchant has under way that is too much; undefined if there is room. */
export function limitOf(
  used: { readonly unread: number; readonly rows: number },
  { unreadJobs, rowsPerDay }: MerchantLimits,
): Extract<Reception, { kind: 'limited' }> | undefined {
  if (used.unread >= unreadJobs) {
    const detail = `${used.unread} files of the merchant wait to be read; ${unreadJobs} may.`
    return { kind: 'limited', detail, retryAfterSeconds: 10 }
  }
  if (used.rows >= rowsPerDay) {
    const detail = `The merchant's files had ${used.rows} rows in 24 hours; ${rowsPerDay} may.`
    return { kind: 'limited', detail, retryAfterSeconds: 3_600 }
  }
  return undefined
}

/** An object under `incoming/<org>/` that was announced or found. */
export interface ArrivedObject {
  readonly bucket: string
  readonly key: string
  readonly version?: string | undefined
  readonly etag: string
  readonly size: number
  readonly org: string
}

export interface ReceivedObject {
  readonly jobId: string
  /** False: the object has a job already. */
  readonly created: boolean
}

/**
 * The job of an object, once however often it is announced. A listing does not know versions: there
 * the etag decides. There is no client to refuse: over its daily limit, a merchant's file waits until
 * it is read.
 */
export async function receiveObject(
  tx: Transaction,
  object: ArrivedObject,
): Promise<ReceivedObject> {
  await lockObject(tx, object)
  const known = await findArrived(tx, object)
  if (known) return { jobId: known.id, created: false }
  const { bucket, key, version, etag, size, org } = object
  const filename = key.slice(key.lastIndexOf('/') + 1).slice(0, 255)
  const job = await insertJob(tx, {
    ...{ id: uuid(), org, filename, key, etag, version, size },
    bucket,
  })
  if (!job) throw new Error('the object already has a job')
  ringReaders(tx)
  return { jobId: job.id, created: true }
}
