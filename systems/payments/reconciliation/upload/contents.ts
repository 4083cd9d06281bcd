import { SpoolFile } from '@posthorn/bulk/spool'
import {
  DamagedEntry,
  DEFAULT_LIMITS,
  openZip,
  type PlacedEntry,
  showName,
  spoolZip,
  unpack,
  ZipRejected,
} from '@posthorn/bulk/zip'
import { invalid, type ProblemError } from '@posthorn/http'
import {
  type Findings,
  differenceOf,
  MOST_STATEMENTS,
  type StatementBalance,
} from '../formats/findings.ts'
import { BEGINNING_BYTES, formatOf, type Format } from '../formats/format.ts'
import { readStatement } from '../formats/read-statement.ts'
import type { Rules } from '../profiles/rules.ts'
import { STANDARD_RULES } from '../profiles/standard.ts'
import { fieldError, type BankRecord, type Mistake } from '../profiles/statement-reader.ts'
import { problem } from '../../problems.ts'
import { peek } from './body.ts'

/** After so many the rest of a file is not read. */
const MOST_MISTAKES = 20
const NO_ROOM = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])
/** Files of a ZIP that are no statements, but what a system or a program left there. */
const HIDDEN = /(?:^|\/)\./

/** Where a ZIP waits while its files are read, and how much they may have. */
export interface ZipOptions {
  readonly folder: string
  readonly maxBytes: number
}

/** A file, and by which rules it is read. */
export interface FileContents {
  readonly format: Format
  readonly bytes: AsyncIterable<Uint8Array>
  /** The bytes are a ZIP with files of the format. */
  readonly zip: ZipOptions | undefined
  readonly rules: Rules
  readonly maxRecords: number
}

/** The records of a file, batch by batch; throws the problem with the first mistakes. */
export async function* readRecords(
  file: FileContents,
  findings: Findings,
): AsyncGenerator<readonly BankRecord[]> {
  const { mistakes } = findings
  const { format, bytes, rules, maxRecords, zip } = file
  const batches = zip
    ? readZip(bytes, { ...zip, rules, findings })
    : readWhole(format, { bytes, rules, findings })
  let total = 0
  for await (const records of batches) {
    if (mistakes.length >= MOST_MISTAKES) throw invalidFile(mistakes)
    total += records.length
    const last = records.at(-1)
    if (last !== undefined && total > maxRecords) throw tooMany(last.line, maxRecords)
    // With a mistake the rest is read for more of them only.
    if (records.length > 0 && mistakes.length === 0) yield records
  }
  if (mistakes.length > 0) throw invalidFile(mistakes)
}

interface Reading {
  readonly rules: Rules
  readonly findings: Findings
}

/** Reads the camt.053 files of a ZIP as one: their records and statements are numbered through. */
async function* readZip(
  bytes: AsyncIterable<Uint8Array>,
  { folder, maxBytes, rules, findings }: Reading & ZipOptions,
): AsyncGenerator<readonly BankRecord[]> {
  const spool = await SpoolFile.create(folder)
  try {
    await spoolZip(spool, bytes, maxBytes).catch(explainNoRoom)
    const limits = { zipBytes: maxBytes, inflatedBytes: maxBytes, entries: MOST_STATEMENTS }
    const files = await openZip(spool, { ...DEFAULT_LIMITS, ...limits })
    const statements = files.filter(({ name }) => !HIDDEN.test(name))
    if (statements.length === 0) throw invalidZip('has no statement: it may have camt.053 files')
    for (const file of statements) {
      yield* readZipped(spool, file, { rules, findings })
      if (findings.mistakes.length >= MOST_MISTAKES) return
    }
  } catch (error) {
    if (error instanceof ZipRejected) throw invalidZip(error.detail)
    throw error
  } finally {
    await spool.close()
  }
}

async function* readZipped(
  spool: SpoolFile,
  entry: PlacedEntry,
  { rules, findings }: Reading,
): AsyncGenerator<readonly BankRecord[]> {
  const { mistakes } = findings
  const { name: file } = entry
  const known = mistakes.length
  const nameMistakes = () =>
    mistakes.push(...mistakes.splice(known).map((mistake) => ({ ...mistake, file })))
  const unpacked = unpack(spool, entry)
  try {
    const { beginning, bytes } = await peek(unpacked, BEGINNING_BYTES)
    if (formatOf(beginning, { rules: STANDARD_RULES }) !== 'camt.053') {
      mistakes.push({ line: 1, reason: 'is no camt.053, and a ZIP may have nothing else' })
    } else {
      for await (const records of readWhole('camt.053', { bytes, rules, findings })) {
        nameMistakes()
        yield records
      }
    }
    nameMistakes()
  } catch (cause) {
    if (!(cause instanceof DamagedEntry)) throw cause
    throw invalid([{ field: showName(file), reason: `is damaged. ${cause.message}` }])
  } finally {
    await unpacked.return(undefined)
  }
}

function invalidZip(reason: string): ProblemError {
  return invalid([{ field: 'file', reason }])
}

/** Reads a file to its end, where its balances can be checked, and whether anything was in it. */
async function* readWhole(
  format: Format,
  reading: Reading & { readonly bytes: AsyncIterable<Uint8Array> },
): AsyncGenerator<readonly BankRecord[]> {
  const { mistakes, statements } = reading.findings
  const known = { mistakes: mistakes.length, statements: statements.length }
  let total = 0
  for await (const records of readStatement(format, reading)) {
    total += records.length
    yield records
  }
  const found = statements.slice(known.statements)
  if (reading.rules.balances === 'require') mistakes.push(...balanceMistakes(found))
  // A day without bookings has its balances.
  if (mistakes.length === known.mistakes && total + found.length === 0) {
    mistakes.push({ line: 1, reason: EMPTY[format] })
  }
}

const EMPTY: Readonly<Record<Format, string>> = {
  csv: 'is all there is: no record follows it',
  'camt.053': 'begins a file without a booked entry (Ntry) and without a balance (Bal)',
  mt940: 'begins a file without a booking (:61:) and without a balance (:60F:, :62F:)',
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

/** The answer for a file that is not loaded: `line 7, amount` and the reason for each mistake. */
function invalidFile(mistakes: readonly Mistake[]): ProblemError {
  return invalid(mistakes.slice(0, MOST_MISTAKES).map(fieldError))
}

export function explainNoRoom(error: NodeJS.ErrnoException): never {
  if (error.code === undefined || !NO_ROOM.has(error.code)) throw error
  throw problem('NO_ROOM_FOR_FILE', { retryAfterSeconds: 60, cause: error })
}
