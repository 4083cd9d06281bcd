import type { paths } from '../../api/schema.d.ts'
import { formatCount } from '../../format/number.ts'
import type { BarPart } from '../../parts/stacked-bar.tsx'
import { ROLE_LOOKS, type StateRole } from '../../states/role.ts'

export type Job =
  paths['/api/v1/file-jobs/{id}']['get']['responses']['200']['content']['application/json']
export type Row =
  paths['/api/v1/file-jobs/{id}/rows']['get']['responses']['200']['content']['application/json']['items'][number]
export type RowDetails =
  paths['/api/v1/file-jobs/{id}/rows/{rowId}']['get']['responses']['200']['content']['application/json']

export const JOB_STATES = ['RECEIVED', 'PROCESSING', 'COMPLETED', 'REJECTED'] as const
export const ROW_STATES = ['PENDING', 'PUBLISHED', 'SUCCESS', 'FAILED', 'ERROR'] as const

/** Jobs look like messages that are where they are. */
const JOB_ROLES: Readonly<Record<Job['status'], StateRole>> = {
  RECEIVED: 'ready',
  PROCESSING: 'claimed',
  COMPLETED: 'confirmed',
  REJECTED: 'dead',
}

/** A job that came to its end with errors alone is no success, and neither is a cancelled one. */
export function roleOfJob({
  status,
  cancelledAt,
  successCount,
  errorCount,
}: Pick<Job, 'status' | 'cancelledAt' | 'successCount' | 'errorCount'>): StateRole {
  if (status === 'COMPLETED' || status === 'REJECTED') {
    if (cancelledAt !== null) return 'cancelled'
    if (status === 'COMPLETED' && errorCount > 0) return successCount === 0 ? 'dead' : 'retry'
  }
  return JOB_ROLES[status]
}

export const ROW_ROLES: Readonly<Record<Row['status'], StateRole>> = {
  PENDING: 'ready',
  PUBLISHED: 'sent',
  SUCCESS: 'confirmed',
  FAILED: 'retry',
  ERROR: 'dead',
}

const ROW_WORDS: Readonly<Record<Row['status'], string>> = {
  SUCCESS: 'attached',
  PUBLISHED: 'under way',
  PENDING: 'to be published',
  FAILED: 'to retry',
  ERROR: 'with an error',
}

const IN_BAR = ['SUCCESS', 'PUBLISHED', 'PENDING', 'FAILED', 'ERROR'] as const

/** What the rows of a job are; those not read yet are the empty end. */
export function partsOf({ counts, expectedRows, rowsRead }: Job): BarPart[] {
  const unread = Math.max((expectedRows ?? 0) - rowsRead, 0)
  const known = IN_BAR.map((state) => ({
    label: ROW_WORDS[state],
    count: counts[state] ?? 0,
    color: ROLE_LOOKS[ROW_ROLES[state]].color,
  }))
  return unread === 0 ? known : [...known, { label: 'not read yet', count: unread, color: 'none' }]
}

const WAITS: Readonly<Record<NonNullable<Job['waitsFor']>, string>> = {
  DAILY_LIMIT:
    'Waiting: the rows that a day allows are used up. It is read as soon as there is room.',
  SCANNER: 'Waiting for the virus scanner, which does not answer. Nothing passes unscanned.',
}

function sentenceOfCancelled({ status, successCount, errorCount }: Job): string {
  if (status === 'REJECTED') return 'Cancelled before its rows were read; nothing was sent.'
  if (status !== 'COMPLETED') return 'Cancelled: rows that were published come to their end.'
  return `Cancelled: ${formatCount(successCount)} attached, ${formatCount(errorCount)} stopped or with an error.`
}

/** Where a job is and what comes next, as a sentence. */
export function sentenceOfJob(job: Job): string {
  const { status, expectedRows, rowsRead, counts } = job
  if (job.cancelledAt !== null) return sentenceOfCancelled(job)
  if (job.waitsFor !== null) return WAITS[job.waitsFor]
  if (status === 'RECEIVED') return 'Waiting for a file processor.'
  if (status === 'REJECTED') return 'File rejected; none of its rows was sent.'
  if (status === 'COMPLETED') {
    return `All rows done: ${formatCount(job.successCount)} attached, ${formatCount(job.errorCount)} with an error.`
  }
  if (expectedRows === null) {
    return 'The archive and the whole CSV are checked before the first row is sent.'
  }
  if (rowsRead < expectedRows) return 'Rows are stored and sent, one after the other.'
  const open = (counts['PENDING'] ?? 0) + (counts['PUBLISHED'] ?? 0)
  if (open > 0) return `All rows stored; ${formatCount(open)} wait for the document service.`
  return `${formatCount(counts['FAILED'] ?? 0)} rows failed and are retried, hours apart.`
}
