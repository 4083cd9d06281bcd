import { NULL_CELL, copyCell } from '@posthorn/bulk/copy'
import type { BankRecord } from '../profiles/statement-reader.ts'
import type { Occurrence } from './occurrences.ts'

/** A record as a line of COPY, in the order of its columns. */
export function copyLine(runId: string, record: BankRecord, { number, first }: Occurrence): string {
  const { line, amount, currency, bookedOn, externalTransactionId: id } = record
  const duplicateOf = number > 1 ? first : NULL_CELL
  return `${runId}\t${line}\t${number}\t${duplicateOf}\t${amount}\t${currency}\t${bookedOn}\t${copyCell(id)}\n`
}
