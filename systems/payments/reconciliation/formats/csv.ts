import { CsvError, readCsv } from '@posthorn/bulk/csv'
import { csvOptions, type Rules } from '../profiles/rules.ts'
import { StatementReader, type BankRecord, type Mistake } from '../profiles/statement-reader.ts'
import type { Findings } from './findings.ts'

/** Few at a time: what waits for the database while it is busy is what survives to fill the memory. */
const BATCH_ROWS = 250

/** Reads the records of a CSV file by rules. Ends where the columns or the rest cannot be made out. */
export async function* readCsvStatement(
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
