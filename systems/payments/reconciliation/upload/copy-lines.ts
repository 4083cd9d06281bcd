import type { BankRecord } from '../profiles/statement-reader.ts'
import type { Occurrence } from './occurrences.ts'

const NULL = '\\N'
// What COPY's text format reads as something else. A tab or the end of a line is no part of an id
// that was let in, but this must hold whatever is.
const SPECIAL = /[\\\t\n\r]/
const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\t': '\\t',
  '\n': '\\n',
  '\r': '\\r',
}

/** A record as a line of COPY, in the order of its columns. */
export function copyLine(runId: string, record: BankRecord, { number, first }: Occurrence): string {
  const { line, amount, currency, bookedOn, externalTransactionId: id } = record
  const duplicateOf = number > 1 ? first : NULL
  return `${runId}\t${line}\t${number}\t${duplicateOf}\t${amount}\t${currency}\t${bookedOn}\t${escaped(id)}\n`
}

function escaped(text: string): string {
  return SPECIAL.test(text) ? text.replaceAll(/[\\\t\n\r]/g, (sign) => ESCAPES[sign] ?? '') : text
}
