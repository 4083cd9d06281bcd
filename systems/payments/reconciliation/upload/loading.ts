import { pipeline } from 'node:stream/promises'
import type { Transaction } from '@posthorn/engine'
import type { ProblemError } from '@posthorn/http'
import { CsvError, readCsv } from '@posthorn/bulk/csv'
import { csvOptions, type Rules } from '../profiles/rules.ts'
import { StatementReader, type BankRecord, type Mistake } from '../profiles/statement-reader.ts'
import { copyLine } from './copy-lines.ts'
import { MOST_MISTAKES, invalidFile } from './invalid-file.ts'
import { Occurrences } from './occurrences.ts'
import { copyRecords } from './queries.ts'
import { Sums, type CurrencySum } from './sums.ts'

/** Few at a time: what waits for the database while it is busy is what survives to fill the memory. */
const BATCH_ROWS = 250

/** A file on its way into a run. */
export interface IncomingFile {
  readonly runId: string
  readonly bytes: AsyncIterable<Uint8Array>
  readonly rules: Rules
  readonly maxRecords: number
  /** Called with the number of records after each batch. */
  loaded(records: number): void
}

/** What was in it. */
export interface LoadedFile {
  readonly total: number
  readonly duplicates: number
  readonly sums: Readonly<Record<string, CurrencySum>>
}

/**
 * Copies a file's records into the table while it arrives: as fast as the slower of both sides, with
 * memory for a few batches. Throws the problem with the first mistakes; nothing is stored then, as the
 * copy fails and with it the transaction.
 */
export async function loadRecords(tx: Transaction, file: IncomingFile): Promise<LoadedFile> {
  const sums = new Sums()
  const occurrences = new Occurrences()
  let total = 0
  let duplicates = 0
  async function* lines(): AsyncGenerator<string> {
    for await (const records of recordsOf(file)) {
      let text = ''
      for (const record of records) {
        const occurrence = occurrences.count(record)
        if (occurrence.number > 1) duplicates += 1
        sums.add(record)
        text += copyLine(file.runId, record, occurrence)
      }
      total += records.length
      file.loaded(total)
      yield text
    }
  }
  await pipeline(lines, copyRecords(tx))
  return { total, duplicates, sums: sums.result() }
}

async function* recordsOf({
  bytes,
  rules,
  maxRecords,
}: IncomingFile): AsyncGenerator<readonly BankRecord[]> {
  const reader = new StatementReader(rules)
  const csv = readCsv(bytes, { ...csvOptions(rules), batchRows: BATCH_ROWS })
  let total = 0
  try {
    for await (const rows of csv) {
      const records: BankRecord[] = []
      for (const row of rows) {
        const record = reader.read(row)
        if (record !== undefined) records.push(record)
        else if (reader.isLost || reader.mistakes.length >= MOST_MISTAKES) {
          throw invalidFile(reader.mistakes)
        }
      }
      total += records.length
      const last = records.at(-1)
      if (last !== undefined && total > maxRecords) throw tooMany(last.line, maxRecords)
      // With a mistake the rest is read for more of them only.
      if (records.length > 0 && reader.mistakes.length === 0) yield records
    }
  } catch (error) {
    throw error instanceof CsvError ? invalidFile([...reader.mistakes, mistakeOf(error)]) : error
  }
  if (reader.mistakes.length > 0) throw invalidFile(reader.mistakes)
  if (total === 0) throw invalidFile([{ line: 1, reason: emptyReason(reader) }])
}

function emptyReason(reader: StatementReader): string {
  return reader.hasHeader ? 'is all there is: no record follows it' : 'has no names of columns'
}

function tooMany(line: number, most: number): ProblemError {
  return invalidFile([{ line, reason: `is more than the ${most} records that a file may have` }])
}

function mistakeOf({ line, column, reason }: CsvError): Mistake {
  return { line, column: column === undefined ? undefined : `column ${column}`, reason }
}
