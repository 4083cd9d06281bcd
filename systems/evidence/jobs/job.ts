import { NullableText, bigint, nullable, resource, time, type RowOf } from '@posthorn/system'
import { Type } from 'typebox'

/*
 *   RECEIVED ──claim──▶ PROCESSING ──every row is terminal──▶ COMPLETED
 *                         │    ▲                                 │
 *        a bad archive    │    └─────────── retry-errors ────────┘
 *                         ▼
 *                      REJECTED      (never once a row is stored)
 *
 * Cancelling is a column, not a state: a job of which no row is stored ends REJECTED, any other
 * COMPLETED, with the rows that were not published as errors.
 */
export const JOB_STATES = ['RECEIVED', 'PROCESSING', 'COMPLETED', 'REJECTED'] as const
export type JobState = (typeof JOB_STATES)[number]

const Whole = Type.Integer()

export const JobResource = Type.Object({
  id: Type.String(),
  filename: Type.String(),
  status: Type.Enum([...JOB_STATES]),
  reason: NullableText,
  reasonDetail: NullableText,
  warnings: Type.Array(Type.String()),
  sizeBytes: bigint(),
  expectedRows: nullable(Whole),
  rowsRead: Whole,
  totalRows: nullable(Whole),
  successCount: Whole,
  errorCount: Whole,
  pendingRetries: Whole,
  counts: Type.Record(Type.String(), Type.Integer()),
  perSecond: Type.Number(),
  etaSeconds: nullable(Whole),
  round: Whole,
  waitsFor: nullable(Type.Enum(['DAILY_LIMIT', 'SCANNER'])),
  waitsUntil: NullableText,
  nextRetryAt: nullable(time(), {
    description: 'Next retry of a failed row, by the business clock',
  }),
  cancelledAt: nullable(time()),
  cancelledBy: NullableText,
  cancelReason: NullableText,
  createdAt: time(),
  completedAt: nullable(time()),
})
type Derived = 'counts' | 'perSecond' | 'etaSeconds' | 'waitsUntil' | 'nextRetryAt'

/** A row of `evidence.file_job`. */
export interface FileJob extends RowOf<typeof JobResource, Derived> {
  readonly org_id: string
  readonly storage_key: string
  readonly storage_version: string | null
  readonly storage_etag: string
  readonly idempotency_key: string | null
  readonly request_fingerprint: string | null
  readonly columns: readonly string[] | null
  readonly arrival_warnings: readonly string[]
  readonly bucket: string | null
  readonly not_before: Date
  /** How it waits to be read. */
  readonly reading: 'small' | 'large' | 'read'
  readonly staged_at: Date | null
  readonly lost_claims: number
  readonly failures: number
  /** Since when the ZIP and the staged files are given up. */
  readonly files_removed_at: Date | null
}

/** What a job's rows are at this moment. */
export interface Tally {
  readonly pending: number
  readonly published: number
  readonly failed: number
  readonly success: number
  readonly error: number
  readonly first_success: number
  readonly first_failed: number
  readonly first_error: number
  readonly per_second: number
}

export type CountedJob = FileJob & { readonly tally: Tally; readonly next_retry_at: Date | null }

export const toJobResource = resource(JobResource, {
  warnings: warningsOf,
  counts: ({ tally }: CountedJob) => countsOf(tally),
  perSecond: ({ tally }) => Math.round(tally.per_second * 10) / 10,
  etaSeconds,
  waitsUntil: ({ waits_for, not_before }) => (waits_for === null ? null : not_before.toISOString()),
})

/** What was noticed at the arrival of the file, and when it was checked. */
export function warningsOf(job: Pick<FileJob, 'warnings' | 'arrival_warnings'>): string[] {
  return [...job.arrival_warnings, ...job.warnings]
}

export function countsOf(
  tally: Pick<Tally, 'pending' | 'published' | 'failed' | 'success' | 'error'>,
): Record<string, number> {
  return {
    PENDING: tally.pending,
    PUBLISHED: tally.published,
    SUCCESS: tally.success,
    FAILED: tally.failed,
    ERROR: tally.error,
  }
}

/**
 * Until every row that is not waiting for a retry has had its attempt, at the present pace; null where
 * it is unknown. Rows that wait hours for their retry are left out.
 */
export function etaSeconds({
  status,
  expected_rows: expected,
  rows_read: read,
  tally,
}: CountedJob) {
  if (status === 'COMPLETED' || status === 'REJECTED') return 0
  if (expected === null) return null
  const open = Math.max(expected - read, 0) + tally.pending + tally.published
  if (open === 0) return 0
  return tally.per_second > 0 ? Math.ceil(open / tally.per_second) : null
}
