import { Type, type Static } from 'typebox'

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

/** A row of `evidence.file_outbox_row`: one line of a CSV. */
export interface FileOutboxRow {
  readonly id: string
  readonly file_job_id: string
  readonly org_id: string
  readonly row_number: number
  readonly line_number: number
  readonly case_id: string
  readonly evidence_files: string
  readonly metadata: Readonly<Record<string, string>>
  readonly status: RowState
  readonly retry_count: number
  readonly next_retry_at: Date
  readonly event_id: string | null
  readonly kafka_partition: number | null
  readonly kafka_offset: string | null
  readonly published_at: Date | null
  readonly error_code: string | null
  readonly error_message: string | null
  readonly first_outcome: 'SUCCESS' | 'FAILED' | 'ERROR' | null
  readonly created_at: Date
  readonly updated_at: Date
}

/** Why a row is an error from the start; no retry can help it. */
export type InvalidCode = 'INVALID_ROW' | 'INVALID_FILE'

const Nullable = Type.Union([Type.String(), Type.Null()])
const NullableInteger = Type.Union([Type.Integer(), Type.Null()])

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
  nextRetryAt: Nullable,
  eventId: Nullable,
  kafkaPartition: NullableInteger,
  kafkaOffset: NullableInteger,
  publishedAt: Nullable,
  errorCode: Nullable,
  errorMessage: Nullable,
  createdAt: Type.String(),
  updatedAt: Type.String(),
})

export function toRowResource(row: FileOutboxRow): Static<typeof RowResource> {
  const waits = row.status === 'PENDING' || row.status === 'FAILED'
  return {
    id: row.id,
    fileJobId: row.file_job_id,
    rowNumber: row.row_number,
    lineNumber: row.line_number,
    caseId: row.case_id,
    evidenceFiles: row.evidence_files,
    metadata: { ...row.metadata },
    status: row.status,
    retryCount: row.retry_count,
    nextRetryAt: waits ? row.next_retry_at.toISOString() : null,
    eventId: row.event_id,
    kafkaPartition: row.kafka_partition,
    kafkaOffset: row.kafka_offset === null ? null : Number(row.kafka_offset),
    publishedAt: row.published_at?.toISOString() ?? null,
    errorCode: row.error_code,
    errorMessage: row.error_message,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  }
}
