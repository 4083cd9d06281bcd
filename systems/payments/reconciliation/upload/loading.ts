import { pipeline } from 'node:stream/promises'
import { NULL_CELL, copyCell } from '@posthorn/bulk/copy'
import type { Transaction } from '@posthorn/engine'
import { invalid, type ProblemError } from '@posthorn/http'
import { CsvError, readCsv } from '@posthorn/bulk/csv'
import { csvOptions, type Rules } from '../profiles/rules.ts'
import {
  StatementReader,
  fieldError,
  type BankRecord,
  type Mistake,
} from '../profiles/statement-reader.ts'
import { Occurrences, type Occurrence } from './occurrences.ts'
import { copyRecords } from './queries.ts'
import { Sums, type CurrencySum } from './sums.ts'

/** After so many the rest of a file is not read. */
const MOST_MISTAKES = 20

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

/** A record as a line of COPY, in the order of its columns. */
function copyLine(runId: string, record: BankRecord, { number, first }: Occurrence): string {
  const { line, amount, currency, bookedOn, externalTransactionId: id } = record
  const duplicateOf = number > 1 ? first : NULL_CELL
  return `${runId}\t${line}\t${number}\t${duplicateOf}\t${amount}\t${currency}\t${bookedOn}\t${copyCell(id)}\n`
}

/** The answer for a file that is not loaded: `line 7, amount` and the reason for each mistake. */
function invalidFile(mistakes: readonly Mistake[]): ProblemError {
  return invalid(mistakes.slice(0, MOST_MISTAKES).map(fieldError))
}
