import { Type, type Static } from 'typebox'

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

/** A row of `evidence.file_job`. */
export interface FileJob {
  readonly id: string
  readonly org_id: string
  readonly filename: string
  readonly status: JobState
  readonly reason: string | null
  readonly reason_detail: string | null
  readonly storage_key: string
  readonly storage_version: string | null
  readonly storage_etag: string
  readonly size_bytes: string
  readonly idempotency_key: string | null
  readonly request_fingerprint: string | null
  readonly columns: readonly string[] | null
  readonly expected_rows: number | null
  readonly warnings: readonly string[]
  readonly arrival_warnings: readonly string[]
  readonly bucket: string | null
  readonly waits_for: 'DAILY_LIMIT' | 'SCANNER' | null
  readonly not_before: Date
  readonly cancelled_at: Date | null
  readonly cancelled_by: string | null
  readonly cancel_reason: string | null
  readonly staged_at: Date | null
  readonly rows_read: number
  readonly total_rows: number | null
  readonly success_count: number
  readonly error_count: number
  readonly pending_retries: number
  readonly round: number
  readonly created_at: Date
  readonly completed_at: Date | null
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

export type CountedJob = FileJob & { readonly tally: Tally }

const Nullable = <Schema extends typeof Text | typeof Whole>(schema: Schema) =>
  Type.Union([schema, Type.Null()])
const Text = Type.String()
const Whole = Type.Integer()

export const JobResource = Type.Object({
  id: Text,
  filename: Text,
  status: Type.Enum([...JOB_STATES]),
  reason: Nullable(Text),
  reasonDetail: Nullable(Text),
  warnings: Type.Array(Text),
  sizeBytes: Whole,
  expectedRows: Nullable(Whole),
  rowsRead: Whole,
  totalRows: Nullable(Whole),
  successCount: Whole,
  errorCount: Whole,
  pendingRetries: Whole,
  counts: Type.Record(Type.String(), Type.Integer()),
  perSecond: Type.Number(),
  etaSeconds: Nullable(Whole),
  round: Whole,
  waitsFor: Type.Union([Type.Enum(['DAILY_LIMIT', 'SCANNER']), Type.Null()]),
  waitsUntil: Nullable(Text),
  cancelledAt: Nullable(Text),
  cancelledBy: Nullable(Text),
  cancelReason: Nullable(Text),
  createdAt: Text,
  completedAt: Nullable(Text),
})

export function toJobResource(job: CountedJob): Static<typeof JobResource> {
  const { tally } = job
  return {
    id: job.id,
    filename: job.filename,
    status: job.status,
    reason: job.reason,
    reasonDetail: job.reason_detail,
    warnings: warningsOf(job),
    sizeBytes: Number(job.size_bytes),
    expectedRows: job.expected_rows,
    rowsRead: job.rows_read,
    totalRows: job.total_rows,
    successCount: job.success_count,
    errorCount: job.error_count,
    pendingRetries: job.pending_retries,
    counts: countsOf(tally),
    perSecond: Math.round(tally.per_second * 10) / 10,
    etaSeconds: etaSeconds(job),
    round: job.round,
    waitsFor: job.waits_for,
    waitsUntil: job.waits_for === null ? null : job.not_before.toISOString(),
    cancelledAt: job.cancelled_at?.toISOString() ?? null,
    cancelledBy: job.cancelled_by,
    cancelReason: job.cancel_reason,
    createdAt: job.created_at.toISOString(),
    completedAt: job.completed_at?.toISOString() ?? null,
  }
}

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
