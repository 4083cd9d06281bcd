import type { Archive } from '../archive/archive.ts'
import { CsvError, type CsvErrorCode, type CsvRow, readCsv } from '@posthorn/bulk/csv'
import { type Header, type HeaderReason, readHeader, readRow } from './columns.ts'
import { type ArchiveReason, ArchiveRejected } from '../archive/reasons.ts'

/** What is known of a file before its first row is stored. */
export interface Checked {
  readonly kind: 'checked'
  readonly header: Header
  readonly rows: number
  /** Files that rows name, in the archive's order. */
  readonly files: readonly string[]
  readonly warnings: readonly string[]
}

const MOST_NAMES = 20
/** Rows that are read at once: so few are gone before they can fill the memory. */
const READ_AT_ONCE = 250

/**
 * Reads the whole CSV without storing anything. Only now can its last line no longer reject the job:
 * a row that is stored may be published a moment later, and cannot be called back.
 */
export async function check(
  archive: Archive,
  { maxRows, signal }: { maxRows: number; signal: AbortSignal },
): Promise<Checked | Rejection> {
  let header: Header | undefined
  let rows = 0
  const named = new Set<string>()
  const resolve = (name: string) => archive.resolve(name)
  try {
    for await (const batch of csvRows(archive)) {
      signal.throwIfAborted()
      let first = 0
      if (header === undefined) {
        const read = readHeader(batch[0] as CsvRow)
        if (read.kind === 'rejected') return rejectionFor(read.reason, read.detail)
        header = read.header
        first = 1
      }
      rows += batch.length - first
      if (rows > maxRows)
        return rejectionFor('TOO_MANY_ROWS', `The CSV has more than ${maxRows} rows.`)
      for (let i = first; i < batch.length; i += 1) {
        for (const file of readRow(batch[i] as CsvRow, header, resolve).files) named.add(file)
      }
    }
  } catch (error) {
    return rejectionOf(error)
  }
  if (header === undefined) return rejectionFor('NO_HEADER', 'The CSV is empty.')
  if (rows === 0) return rejectionFor('NO_ROWS', 'The CSV has no rows below its header.')
  const files = archive.names().filter((name) => named.has(name))
  return { kind: 'checked', header, rows, files, warnings: findUnused(archive, named) }
}

/** The rows of the CSV in batches; a row with too few or too many columns is one too. */
export async function* csvRows(archive: Archive): AsyncGenerator<readonly CsvRow[]> {
  const bytes = await archive.readCsv()
  try {
    const options = { ...archive.csv.style, ragged: 'yield', batchRows: READ_AT_ONCE } as const
    for await (const batch of readCsv(bytes, options)) {
      if (batch.length > 0) yield batch
    }
  } finally {
    bytes.destroy()
  }
}

function findUnused(archive: Archive, named: ReadonlySet<string>): string[] {
  const names = archive.names().filter((name) => !named.has(name))
  if (names.length === 0) return []
  const shown = names.slice(0, MOST_NAMES).join(', ')
  const rest = names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : ''
  return [`No row names these files: ${shown}${rest}.`]
}

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
