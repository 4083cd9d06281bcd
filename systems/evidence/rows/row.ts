import { NullableText, bigint, nullable, resource, time, type RowOf } from '@posthorn/system'
import { Type } from 'typebox'

/** Seven of the last hexadecimal digits are the number of a row. */
const NUMBER_DIGITS = 7

/**
 * The id of the row with that number: its job's UUIDv7, which ends with the number, so that people tell
 * the rows of a file apart by what they see of an id. The document store knows a row by its id, so one
 * that is read from the same file again, because the database was brought back to a moment before, is
 * recognised there and not attached a second time.
 */
export function rowId(jobId: string, number: number): string {
  const digits = number.toString(16).padStart(NUMBER_DIGITS, '0')
  if (digits.length > NUMBER_DIGITS)
    throw new RangeError(`row ${number} of one file is more than there may be`)
  return jobId.slice(0, -NUMBER_DIGITS) + digits
}

export const ROW_STATES = ['PENDING', 'PUBLISHED', 'SUCCESS', 'FAILED', 'ERROR'] as const
export type RowState = (typeof ROW_STATES)[number]

/** Why a row is an error from the start; no retry can help it. */
export type InvalidCode = 'INVALID_ROW' | 'INVALID_FILE'

export const RowResource = Type.Object({
  id: Type.String(),
  fileJobId: Type.String(),
  rowNumber: Type.Integer(),
  lineNumber: Type.Integer(),
  caseId: Type.String(),
  evidenceFiles: Type.String(),
  metadata: Type.Record(Type.String(), Type.String()),
  status: Type.Enum([...ROW_STATES]),
  retryCount: Type.Integer(),
  nextRetryAt: NullableText,
  eventId: NullableText,
  kafkaPartition: nullable(Type.Integer()),
  kafkaOffset: nullable(bigint()),
  publishedAt: nullable(time()),
  errorCode: NullableText,
  errorMessage: NullableText,
  createdAt: time(),
  updatedAt: time(),
})

/** A row of `evidence.file_outbox_row`: one line of a CSV. */
export interface FileOutboxRow extends RowOf<typeof RowResource, 'nextRetryAt'> {
  readonly org_id: string
  readonly next_retry_at: Date
  readonly first_outcome: 'SUCCESS' | 'FAILED' | 'ERROR' | null
}

export const toRowResource = resource(RowResource, {
  nextRetryAt: ({ status, next_retry_at: at }: FileOutboxRow) =>
    status === 'PENDING' || status === 'FAILED' ? at.toISOString() : null,
})

/** A file of a row. */
export const ArtifactResource = Type.Object({
  id: Type.String(),
  filename: Type.String(),
  sizeBytes: bigint(),
  contentType: Type.String(),
  attachmentStatus: Type.Enum(['PENDING', 'ATTACHED', 'FAILED']),
  documentMgmtId: NullableText,
})

/** A move of a row. */
export const AuditResource = Type.Object({
  oldStatus: NullableText,
  newStatus: Type.String(),
  retryCount: Type.Integer(),
  errorCode: NullableText,
  transitionedBy: Type.String(),
  createdAt: time(),
})
