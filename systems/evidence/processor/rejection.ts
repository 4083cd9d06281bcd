import { ArchiveRejected, type ArchiveReason } from '../archive/reasons.ts'
import { CsvError, type CsvErrorCode } from '@posthorn/bulk/csv'
import type { HeaderReason } from './columns.ts'

/** Why a job is `REJECTED`. */
export interface Rejection {
  readonly kind: 'rejected'
  readonly reason:
    | ArchiveReason
    | CsvErrorCode
    | HeaderReason
    | 'NO_ROWS'
    | 'TOO_MANY_ROWS'
    | 'OBJECT_MISSING'
    | 'OBJECT_CHANGED'
    | 'PROCESSING_FAILED'
    | 'CANCELLED'
  /** A sentence for the merchant. */
  readonly detail: string
}

export function rejectionFor(reason: Rejection['reason'], detail: string): Rejection {
  return { kind: 'rejected', reason, detail }
}

/** What was thrown because of the file itself, as a rejection; anything else is thrown again. */
export function rejectionOf(error: unknown): Rejection {
  if (error instanceof ArchiveRejected) return rejectionFor(error.reason, error.detail)
  if (error instanceof CsvError)
    return rejectionFor(error.code, `The CSV cannot be read: ${error.message}.`)
  throw error
}
