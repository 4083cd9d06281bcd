import { CsvError, readCsv, type CsvRow } from '@posthorn/bulk/csv'
import { beginsAsZip } from '@posthorn/bulk/zip'
import type { FieldError } from '@posthorn/http'
import { csvMistake, readStatement } from '../formats/read-statement.ts'
import { Findings, type StatementBalance } from '../formats/findings.ts'
import { formatOf, refuseOthers, type Format } from '../formats/format.ts'
import { problem } from '../../problems.ts'
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
  readonly format: Format
  readonly header: readonly string[] | null
  readonly rows: readonly PreviewRow[]
  /** Of the file as a whole. */
  readonly errors: readonly FieldError[]
  /** Of a file that is here whole: what it says about its accounts. */
  readonly statements: readonly StatementBalance[]
}

const MOST_ROWS = 20

interface Sample {
  readonly rules: Rules
  /** The bytes are the beginning of more, and their last row may be half a row. */
  readonly isCut: boolean
}

/** Reads the first rows of a file by rules. */
export async function previewOf(bytes: Buffer, sample: Sample): Promise<Preview> {
  refuseOthers(bytes, undefined)
  if (beginsAsZip(bytes)) {
    const detail = 'A ZIP is read when it is uploaded. Unpack it to preview one of its statements.'
    throw problem('UNSUPPORTED_MEDIA_TYPE', { detail })
  }
  const format = formatOf(bytes, sample)
  if (format !== 'csv') return previewOfStatement(bytes, { ...sample, format })
  return { format, statements: [], ...(await previewOfCsv(bytes, sample)) }
}

async function previewOfStatement(
  bytes: Buffer,
  { rules, isCut, format }: Sample & { readonly format: Format },
): Promise<Preview> {
  const findings = new Findings()
  const rows: PreviewRow[] = []
  for await (const records of readStatement(format, {
    bytes: once(bytes),
    rules,
    findings,
    isCut,
  })) {
    for (const record of records.slice(0, MOST_ROWS - rows.length)) {
      rows.push({ line: record.line, values: [], record, errors: [] })
    }
  }
  const errors = findings.mistakes.slice(0, MOST_ROWS).map(fieldError)
  const isEmpty = rows.length + errors.length + findings.statements.length === 0
  return {
    format,
    header: null,
    rows,
    errors: isEmpty ? [{ field: 'content', reason: 'has no statement' }] : errors,
    statements: isCut ? [] : findings.statements,
  }
}

async function previewOfCsv(
  bytes: Buffer,
  { rules, isCut }: Sample,
): Promise<Omit<Preview, 'format' | 'statements'>> {
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
    if (rows.length < MOST_ROWS) return { header, rows, errors: [fieldError(csvMistake(error))] }
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
