import { CsvError, RowScanner, type CsvRow } from './row-scanner.ts'
import { pieces, NotText, pieceDecoder, type TextEncoding } from '../text/text-decoder.ts'

export interface CsvOptions {
  /** Default a comma. */
  readonly delimiter?: string | undefined
  /** Default `utf-8`, with or without its mark. */
  readonly encoding?: TextEncoding | undefined
  /** The most rows that come at once. Default 1,000. */
  readonly batchRows?: number | undefined
  /** What happens to a row with more or fewer columns than the first. Default `refuse`. */
  readonly ragged?: 'refuse' | 'yield' | undefined
}

const CODES = { encoding: 'CSV_ENCODING', binary: 'CSV_BINARY' } as const

/**
 * Reads rows as the bytes come, with memory for a few pieces and a batch only. Lines end by LF, CRLF
 * or CR; empty ones are skipped; a quote in a quoted field is doubled. A row has up to 64 KiB and 200
 * columns, a field up to 8 KiB. Throws a `CsvError` at the first thing that is not so, after the rows
 * before it.
 */
export async function* readCsv(
  bytes: AsyncIterable<Uint8Array>,
  options: CsvOptions = {},
): AsyncGenerator<CsvRow[]> {
  const scanner = new RowScanner({
    delimiter: options.delimiter ?? ',',
    batchRows: options.batchRows ?? 1_000,
  })
  const decoder = pieceDecoder(options.encoding ?? 'utf-8')
  const checked = options.ragged === 'yield' ? asTheyAre : sameColumns()
  const text = (decode: () => string): string => {
    try {
      return decode()
    } catch (error) {
      if (!(error instanceof NotText)) throw error
      throw new CsvError(
        CODES[error.kind],
        { line: scanner.lineAfter(error.before) },
        error.message,
      )
    }
  }
  for await (const piece of pieces(bytes)) {
    for (const rows of scanner.scan(text(() => decoder.decode(piece)))) yield checked(rows)
  }
  for (const rows of scanner.scan(text(() => decoder.end()))) yield checked(rows)
  for (const rows of scanner.end()) yield checked(rows)
}

function asTheyAre(rows: CsvRow[]): CsvRow[] {
  return rows
}

/** Lets rows through that have as many columns as the first. */
function sameColumns(): (rows: CsvRow[]) => CsvRow[] {
  let columns: number | undefined
  return (rows) => {
    columns ??= rows[0]?.values.length
    for (const { line, values } of rows) {
      if (values.length === columns) continue
      const reason = `has ${values.length} columns where the first row has ${columns}`
      throw new CsvError('CSV_RAGGED_ROW', { line }, reason)
    }
    return rows
  }
}

export type CsvCell = string | number | bigint | boolean | null | undefined

export interface CsvRowOptions {
  /** Positions, from 0, whose text is a number: `-12.50` stays as it is. Other text there is text. */
  readonly numeric?: ReadonlySet<number>
}

/**
 * What a spreadsheet takes for a formula: its signs, also in full width, as the first that is no
 * blank, and the blanks that some of them drop.
 */
const FORMULA = /^(?:[\t\r\n]|\s*[=+\-@＝＋－＠])/
const NUMBER = /^-?\d+(\.\d+)?$/
const QUOTED = /[",\r\n]|^\s|\s$/

/**
 * A line of CSV with its CRLF. Text that a spreadsheet would run gets a `'` before it; numbers are
 * written as they are.
 */
export function writeCsvRow(values: readonly CsvCell[], { numeric }: CsvRowOptions = {}): string {
  const cells = values.map((value, i) => {
    if (value === null || value === undefined) return ''
    if (typeof value !== 'string') return String(value)
    if (numeric?.has(i) && NUMBER.test(value)) return value
    return quote(FORMULA.test(value) ? `'${value}` : value)
  })
  // A single empty cell would be an empty line, and those are skipped.
  return cells.length === 1 && cells[0] === '' ? '""\r\n' : `${cells.join(',')}\r\n`
}

function quote(text: string): string {
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
