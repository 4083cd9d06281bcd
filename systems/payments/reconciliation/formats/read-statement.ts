import type { BankRecord } from '../profiles/statement-reader.ts'
import { readCamt053, type StatementReading } from './camt053.ts'
import { readCsvStatement } from './csv.ts'
import type { Format } from './format.ts'
import { readMt940 } from './mt940.ts'

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
