import { XmlError, XmlScanner, readXml } from '@posthorn/bulk/xml'
import type { Rules } from '../profiles/rules.ts'
import type { BankRecord } from '../profiles/statement-reader.ts'
import { CamtReader } from './camt-reader.ts'
import type { Findings } from './findings.ts'

export interface StatementReading {
  readonly bytes: AsyncIterable<Uint8Array>
  readonly rules: Rules
  readonly findings: Findings
  /** The bytes are the beginning of more: what is open at their end is no mistake. */
  readonly isCut?: boolean
}

/** Reads the bookings of a camt.053 file, whichever its version. */
export async function* readCamt053({
  bytes,
  rules,
  findings,
  isCut = false,
}: StatementReading): AsyncGenerator<readonly BankRecord[]> {
  const reader = new CamtReader(rules, findings)
  const scanner = new XmlScanner(reader)
  reader.follow(scanner)
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
  if (!reader.hasDocument) {
    findings.mistakes.push({ line: 1, reason: 'has no camt.053 statement (Document)' })
  }
}
