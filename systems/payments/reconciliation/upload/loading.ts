import { CopyBuffer, NULL_CELL, copyCell } from '@posthorn/bulk/copy'
import type { SpoolFile } from '@posthorn/bulk/spool'
import { invalid, type ProblemError } from '@posthorn/http'
import { Findings, differenceOf, type StatementBalance } from '../formats/findings.ts'
import type { Format } from '../formats/format.ts'
import { readStatement } from '../formats/read-statement.ts'
import type { Rules } from '../profiles/rules.ts'
import { fieldError, type BankRecord, type Mistake } from '../profiles/statement-reader.ts'
import { Occurrences, type Occurrence } from './occurrences.ts'
import { problem } from './problems.ts'
import { Sums, type CurrencySum } from './sums.ts'

/** After so many the rest of a file is not read. */
const MOST_MISTAKES = 20
/** So many bytes go to the disk at once: a write for every batch would take longer than reading it. */
const WRITTEN_BYTES = 64 * 1024
const NO_ROOM = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])

/** A file on its way into a run. */
export interface IncomingFile {
  readonly runId: string
  readonly format: Format
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
  readonly statements: readonly StatementBalance[]
  readonly pending: number
}

/**
 * Reads a file while it arrives and puts its records on the disk, ready for COPY, with memory for a few
 * batches. Throws the problem with the first mistakes.
 */
export async function spoolRecords(spool: SpoolFile, file: IncomingFile): Promise<LoadedFile> {
  const sums = new Sums()
  const occurrences = new Occurrences()
  const findings = new Findings()
  const lines = new CopyBuffer()
  let total = 0
  let duplicates = 0
  for await (const records of recordsOf(file, findings)) {
    let text = ''
    for (const record of records) {
      const occurrence = occurrences.count(record)
      if (occurrence.number > 1) duplicates += 1
      sums.add(record)
      text += copyLine(file.runId, record, occurrence)
    }
    lines.add(text)
    total += records.length
    file.loaded(total)
    if (lines.bytes.length >= WRITTEN_BYTES) await writeLines(spool, lines)
  }
  await writeLines(spool, lines)
  occurrences.release()
  const { statements, pending } = findings
  return { total, duplicates, sums: sums.result(), statements, pending }
}

async function writeLines(spool: SpoolFile, lines: CopyBuffer): Promise<void> {
  await spool.append(lines.bytes).catch(explainNoRoom)
  lines.clear()
}

function explainNoRoom(error: NodeJS.ErrnoException): never {
  if (error.code === undefined || !NO_ROOM.has(error.code)) throw error
  throw problem('NO_ROOM_FOR_FILE', { retryAfterSeconds: 60, cause: error })
}

async function* recordsOf(
  { format, bytes, rules, maxRecords }: IncomingFile,
  findings: Findings,
): AsyncGenerator<readonly BankRecord[]> {
  const { mistakes } = findings
  let total = 0
  for await (const records of readStatement(format, { bytes, rules, findings })) {
    if (mistakes.length >= MOST_MISTAKES) throw invalidFile(mistakes)
    total += records.length
    const last = records.at(-1)
    if (last !== undefined && total > maxRecords) throw tooMany(last.line, maxRecords)
    // With a mistake the rest is read for more of them only.
    if (records.length > 0 && mistakes.length === 0) yield records
  }
  if (rules.balances === 'require') mistakes.push(...balanceMistakes(findings.statements))
  if (mistakes.length > 0) throw invalidFile(mistakes)
  if (total === 0) throw invalidFile([{ line: 1, reason: EMPTY[format] }])
}

const EMPTY: Readonly<Record<Format, string>> = {
  csv: 'is all there is: no record follows it',
  'camt.053': 'begins a file without a booked entry (Ntry)',
  mt940: 'begins a file without a booking (:61:)',
}

/** Balances that do not tie out, where the rules ask for it. */
function balanceMistakes(statements: readonly StatementBalance[]): Mistake[] {
  return statements.flatMap((statement) => {
    const difference = differenceOf(statement)
    if (difference === 0n) return []
    const reason =
      difference === null
        ? 'says no opening or no closing balance, and the profile asks for both'
        : `does not tie out: the closing balance is ${difference} more than opening balance and entries, in minor units`
    const { firstLine, number, currency } = statement
    return [{ line: firstLine ?? 1, column: `statement ${number} in ${currency}`, reason }]
  })
}

function tooMany(line: number, most: number): ProblemError {
  return invalidFile([{ line, reason: `is more than the ${most} records that a file may have` }])
}

/** A record as a line of COPY, in the order of its columns. */
function copyLine(runId: string, record: BankRecord, { number, first }: Occurrence): string {
  const { line, amount, currency, bookedOn, fee, externalTransactionId: id } = record
  const duplicateOf = number > 1 ? first : NULL_CELL
  return `${runId}\t${line}\t${number}\t${duplicateOf}\t${amount}\t${fee ?? NULL_CELL}\t${currency}\t${bookedOn}\t${copyCell(id)}\n`
}

/** The answer for a file that is not loaded: `line 7, amount` and the reason for each mistake. */
function invalidFile(mistakes: readonly Mistake[]): ProblemError {
  return invalid(mistakes.slice(0, MOST_MISTAKES).map(fieldError))
}
