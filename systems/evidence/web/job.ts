import {
  type Answer,
  type BarPart,
  countOf,
  formatCount,
  formatRelative,
  type ItemOf,
  ROLE_LOOKS,
  type StateRole,
} from '@posthorn/dashboard/kit'

export type Job = Answer<'/api/v1/file-jobs/{id}'>
export type Row = ItemOf<'/api/v1/file-jobs/{id}/rows'>
export type RowDetails = Answer<'/api/v1/file-jobs/{id}/rows/{rowId}'>

export const JOB_STATES = ['RECEIVED', 'PROCESSING', 'COMPLETED', 'REJECTED'] as const
export const ROW_STATES = ['PENDING', 'PUBLISHED', 'SUCCESS', 'FAILED', 'ERROR'] as const

/** The role of a message in the same state. */
const JOB_ROLES: Readonly<Record<Job['status'], StateRole>> = {
  RECEIVED: 'ready',
  PROCESSING: 'claimed',
  COMPLETED: 'confirmed',
  REJECTED: 'dead',
}

/** A completed job with errors alone, and a cancelled one, do not look like a success. */
export function roleOfJob(
  job: Pick<Job, 'status' | 'cancelledAt' | 'successCount' | 'errorCount'>,
): StateRole {
  const { status, cancelledAt, successCount, errorCount } = job
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

/** In the order of the bar. */
const ROW_WORDS = [
  ['SUCCESS', 'attached'],
  ['PUBLISHED', 'in progress'],
  ['PENDING', 'to be published'],
  ['FAILED', 'to retry'],
  ['ERROR', 'with an error'],
] as const

/** The rows of a job by state; rows that are not read yet are the empty end of the bar. */
export function partsOf({ counts, expectedRows, rowsRead }: Job): BarPart[] {
  const unread = Math.max((expectedRows ?? 0) - rowsRead, 0)
  const known = ROW_WORDS.map(([state, label]) => ({
    label,
    count: counts[state] ?? 0,
    color: ROLE_LOOKS[ROW_ROLES[state]].color,
  }))
  return unread === 0 ? known : [...known, { label: 'not read yet', count: unread, color: 'none' }]
}

const WAITS: Readonly<Record<NonNullable<Job['waitsFor']>, string>> = {
  DAILY_LIMIT: 'Waiting: the daily row limit is used up. Reading continues when there is room.',
  SCANNER: 'Waiting for the virus scanner, which does not answer. Nothing passes unscanned.',
}

function sentenceOfCancelled({ status, successCount, errorCount }: Job): string {
  if (status === 'REJECTED') return 'Cancelled before its rows were read; nothing was sent.'
  if (status !== 'COMPLETED') return 'Cancelled: published rows are still finished.'
  return `Cancelled: ${formatCount(successCount)} attached, ${formatCount(errorCount)} stopped or with an error.`
}

/** The progress of a job and its next step, as a sentence. */
export function sentenceOfJob(job: Job, now: number): string {
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
  const at = job.nextRetryAt === null ? now : Date.parse(job.nextRetryAt)
  const when = at <= now ? 'due' : formatRelative(at, now)
  return `${countOf(counts['FAILED'] ?? 0, 'row')} failed; next retry ${when}.`
}

/** What to do about a rejected file, by its reason. */
const FILE_ADVICE: Readonly<Record<string, string>> = {
  NOT_A_ZIP: 'Pack CSV and evidence into a ZIP; renaming another file to .zip is not enough.',
  CORRUPT: 'Pack it again, and check that the upload or copy was not cut short.',
  EXTRA_BYTES: 'Pack it again with an ordinary program; nothing may be appended to the archive.',
  TOO_LARGE: 'Split it into several archives, each with the rows of its own files.',
  TOO_MANY_ENTRIES: 'Split it into several archives.',
  TOO_MUCH_INFLATED: 'Split it into several archives.',
  RATIO_EXCEEDED: 'Leave out files that are mostly empty, or send them as they are.',
  ENCRYPTED: 'Pack it without a password.',
  UNSUPPORTED_COMPRESSION: 'Pack it with the usual method (deflate) or without compression.',
  UNSAFE_NAME: 'Rename the file: a short relative path without .. or backslashes.',
  SPECIAL_ENTRY: 'Put the file itself into the archive instead of a link to it.',
  DUPLICATE_NAME: 'Give every file its own name; case does not matter.',
  OVERLAPPING_ENTRIES: 'Pack it again with an ordinary program.',
  HEADER_MISMATCH: 'Pack it again with an ordinary program.',
  NESTED_ARCHIVE: 'Unpack the inner archive and put its files in directly.',
  NO_CSV: 'Add one CSV with the columns case_id and evidence_files.',
  SEVERAL_CSVS: 'Leave one CSV in the archive; send the others in archives of their own.',
  CSV_TOO_LARGE: 'Split the CSV over several archives.',
  CSV_DAMAGED: 'Pack the CSV again.',
  CSV_ENCODING: 'Save the CSV as UTF-8.',
  CSV_BINARY: 'Save it as CSV text, not as a workbook with another ending.',
  CSV_UNCLOSED_QUOTE: 'Close the quote on the line that is named, or double it inside a text.',
  CSV_MISPLACED_QUOTE: 'Put the whole value in quotes, and double the quotes inside it.',
  CSV_FIELD_TOO_LARGE: 'Shorten the value on the line that is named; often a quote is not closed.',
  CSV_ROW_TOO_LARGE: 'Shorten the line that is named; often a quote is not closed.',
  CSV_TOO_MANY_COLUMNS: 'Leave out columns that are not needed.',
  CSV_RAGGED_ROW: 'Give every line as many columns as the first one.',
  NO_HEADER: 'Name the columns in the first line: case_id,evidence_files.',
  BAD_HEADER: 'Give every column a name, and each name once.',
  NO_ROWS: 'Add a line for each case below the names of the columns.',
  TOO_MANY_ROWS: 'Split the CSV over several archives.',
  OBJECT_MISSING: 'Put the file into the bucket again, or upload it here.',
  OBJECT_CHANGED: 'It was replaced while it was read; the new one has its own job.',
  CANCELLED: 'Upload it again if it was cancelled by mistake.',
  PROCESSING_FAILED: 'Upload it again; if that fails too, contact the operator of this server.',
}

/** What to do about a row, by its code. */
const ROW_ADVICE: Readonly<Record<string, string>> = {
  INVALID_ROW: 'Correct the line in the error CSV and upload it in a new ZIP with its files.',
  INVALID_FILE: 'Send a PDF, JPEG, PNG or TIFF that opens, with the line, in a new ZIP.',
  CANCELLED: 'The file was cancelled before this row was sent. Upload it again to send it.',
  API_ERROR: 'No action needed: the worker asks the document service again.',
  MAX_RETRIES_EXCEEDED: 'When the document service works again, retry the errors.',
  EVIDENCE_LOST: 'Upload the line with its files again: they are gone from storage.',
}

/** Undefined for a reason without advice. */
export function adviceForFile(reason: string): string | undefined {
  return Object.hasOwn(FILE_ADVICE, reason) ? FILE_ADVICE[reason] : undefined
}

/** An unknown code is a refusal by the document service: a retry alone does not help. */
export function adviceForRow(code: string): string {
  const known = Object.hasOwn(ROW_ADVICE, code) ? ROW_ADVICE[code] : undefined
  return (
    known ??
    'The document service refused it. Fix the cause there or in the line, then retry the errors.'
  )
}
