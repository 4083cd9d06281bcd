import { CsvError, readCsv } from '@posthorn/bulk/csv'
import { LineTooLong, readLines } from '@posthorn/bulk/text'
import { XmlError, XmlScanner, readXml } from '@posthorn/bulk/xml'
import { StatementReader, type BankRecord, type Mistake } from '../profiles/statement-reader.ts'
import type { Format } from './format.ts'
import { Mt940Reader } from './mt940-reader.ts'
import { csvOptions, type Rules } from '../profiles/rules.ts'
import { CamtReader } from './camt-reader.ts'
import type { Findings } from './findings.ts'

/** Few at a time: what waits for the database while it is busy is what survives to fill the memory. */
const BATCH_ROWS = 250

/** Reads the records of a CSV file by rules. Ends where the columns or the rest cannot be made out. */
async function* readCsvStatement(
  bytes: AsyncIterable<Uint8Array>,
  rules: Rules,
  findings: Findings,
): AsyncGenerator<readonly BankRecord[]> {
  const reader = new StatementReader(rules, findings.mistakes)
  try {
    for await (const rows of readCsv(bytes, { ...csvOptions(rules), batchRows: BATCH_ROWS })) {
      const records: BankRecord[] = []
      for (const row of rows) {
        const record = reader.read(row)
        if (record !== undefined) records.push(record)
        else if (reader.isLost) return
      }
      yield records
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    findings.mistakes.push(csvMistake(error))
    return
  }
  if (!reader.hasHeader) findings.mistakes.push({ line: 1, reason: 'has no names of columns' })
}

export function csvMistake({ line, column, reason }: CsvError): Mistake {
  return { line, column: column === undefined ? undefined : `column ${column}`, reason }
}

interface StatementReading {
  readonly bytes: AsyncIterable<Uint8Array>
  readonly rules: Rules
  readonly findings: Findings
  /** The bytes are the beginning of more: what is open at their end is no mistake. */
  readonly isCut?: boolean
}

/** Reads the bookings of a camt.053 file, whichever its version. */
async function* readCamt053({
  bytes,
  rules,
  findings,
  isCut = false,
}: StatementReading): AsyncGenerator<readonly BankRecord[]> {
  const reader = new CamtReader(rules, findings)
  const scanner = new XmlScanner(reader)
  reader.follow(scanner)
  const begun = findings.begun
  try {
    for await (const _ of readXml(bytes, scanner, { isCut })) {
      if (reader.isLost) return
      yield reader.takeRecords()
    }
  } catch (error) {
    if (!(error instanceof XmlError)) throw error
    const { line, column, reason } = error
    findings.mistakes.push({ line, column: `column ${column}`, reason })
    return
  }
  if (!isCut && findings.begun === begun) {
    const missing = reader.hasDocument ? 'Stmt' : 'Document'
    findings.mistakes.push({ line: 1, reason: `has no camt.053 statement (${missing})` })
  }
}

/** Reads the bookings of an MT940 file: one message or many, with SWIFT's blocks around them or not. */
async function* readMt940({
  bytes,
  rules,
  findings,
  isCut = false,
}: StatementReading): AsyncGenerator<readonly BankRecord[]> {
  const reader = new Mt940Reader(rules, findings)
  try {
    for await (const lines of readLines(bytes)) {
      for (const line of lines) reader.read(line)
      if (reader.isLost) return
      yield reader.takeRecords()
    }
  } catch (error) {
    if (!(error instanceof LineTooLong)) throw error
    findings.mistakes.push({ line: error.line, reason: 'is too long for a line of MT940' })
    return
  }
  if (isCut) return
  reader.end()
  yield reader.takeRecords()
}

/**
 * Reads a file of a format, batch by batch. What else is in it, mistakes too, is among the findings:
 * with one of those the records are of no use.
 */
export function readStatement(
  format: Format,
  reading: StatementReading,
): AsyncGenerator<readonly BankRecord[]> {
  if (format === 'camt.053') return readCamt053(reading)
  if (format === 'mt940') return readMt940(reading)
  return readCsvStatement(reading.bytes, reading.rules, reading.findings)
}
