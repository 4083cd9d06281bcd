import { CsvError, RowScanner, type CsvRow } from './row-scanner.ts'
import { pieces, NotText, pieceDecoder, type TextEncoding } from '../text/text-decoder.ts'

export interface CsvOptions {
  /** Default a comma. */
  readonly delimiter?: string | undefined
  /** Default `"`. */
  readonly quote?: string | undefined
  /** Default `utf-8`, with or without its mark. */
  readonly encoding?: TextEncoding | undefined
  /** Default 64 KiB. */
  readonly maxRowBytes?: number | undefined
  /** Default 8 KiB. */
  readonly maxFieldBytes?: number | undefined
  /** Default 200. */
  readonly maxColumns?: number | undefined
  /** The most rows that come at once. Default 1,000. */
  readonly batchRows?: number | undefined
  /** What happens to a row with more or fewer columns than the first. Default `refuse`. */
  readonly ragged?: 'refuse' | 'yield' | undefined
}

const CODES = { encoding: 'CSV_ENCODING', binary: 'CSV_BINARY' } as const

/**
 * Reads rows as the bytes come, with memory for a few pieces and a batch only. Lines end by LF, CRLF
 * or CR; empty ones are skipped; a quote in a quoted field is doubled. Throws a `CsvError` at the
 * first thing that is not so, after the rows before it.
 */
export async function* readCsv(
  bytes: AsyncIterable<Uint8Array>,
  options: CsvOptions = {},
): AsyncGenerator<CsvRow[]> {
  const scanner = new RowScanner({
    delimiter: options.delimiter ?? ',',
    quote: options.quote ?? '"',
    maxRowBytes: options.maxRowBytes ?? 64 * 1024,
    maxFieldBytes: options.maxFieldBytes ?? 8 * 1024,
    maxColumns: options.maxColumns ?? 200,
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
