import { LineTooLong, readLines } from '@posthorn/bulk/text'
import type { BankRecord } from '../profiles/statement-reader.ts'
import type { StatementReading } from './camt053.ts'
import { Mt940Reader } from './mt940-reader.ts'

/** Reads the bookings of an MT940 file: one message or many, with SWIFT's blocks around them or not. */
export async function* readMt940({
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
