import { CsvError, readCsv, type CsvRow } from '@posthorn/bulk/csv'
import type { FieldError } from '@posthorn/http'
import { csvOptions, type Rules } from './rules.ts'
import { StatementReader, fieldError, type BankRecord, type Mistake } from './statement-reader.ts'

/** A row as it is read. */
export interface PreviewRow {
  readonly line: number
  readonly values: readonly string[]
  readonly record: Omit<BankRecord, 'line'> | null
  readonly errors: readonly FieldError[]
}

export interface Preview {
  readonly header: readonly string[] | null
  readonly rows: readonly PreviewRow[]
  /** Of the file as a whole. */
  readonly errors: readonly FieldError[]
}

const MOST_ROWS = 20

/**
 * Reads the first rows of a file by rules. `isCut`: the bytes are the beginning of more, and their
 * last row may be half a row.
 */
export async function previewOf(
  bytes: Buffer,
  { rules, isCut }: { readonly rules: Rules; readonly isCut: boolean },
): Promise<Preview> {
  const reader = new StatementReader(rules)
  const rows: PreviewRow[] = []
  let header: readonly string[] | null = null
  const sample = isCut ? bytes.subarray(0, lastLineEnd(bytes)) : bytes
  try {
    for await (const batch of readCsv(once(sample), { ...csvOptions(rules), batchRows: 100 })) {
      for (const row of batch) {
        if (rows.length >= MOST_ROWS || reader.isLost) break
        const hadHeader = reader.hasHeader || rules.headerLine === null
        const known = reader.mistakes.length
        const record = reader.read(row)
        if (hadHeader && !reader.isLost) {
          rows.push(previewRow(row, record, reader.mistakes.slice(known)))
        } else if (reader.hasHeader) header = row.values
      }
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    // What is wrong past the rows that are shown is found when the file is loaded.
    if (rows.length < MOST_ROWS) return { header, rows, errors: [csvMistake(error)] }
  }
  const lost = reader.isLost ? reader.mistakes.map(fieldError) : []
  const empty = rows.length === 0 ? [{ field: 'content', reason: 'has no record' }] : []
  return { header, rows, errors: reader.isLost ? lost : empty }
}

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes
}

function lastLineEnd(bytes: Buffer): number {
  return Math.max(bytes.lastIndexOf(0x0a), bytes.lastIndexOf(0x0d)) + 1
}

function previewRow(
  { line, values }: CsvRow,
  record: BankRecord | undefined,
  mistakes: readonly Mistake[],
): PreviewRow {
  return { line, values, record: record ?? null, errors: mistakes.map(fieldError) }
}

function csvMistake({ line, column, reason }: CsvError): FieldError {
  return fieldError({ line, column: column === undefined ? undefined : `column ${column}`, reason })
}
