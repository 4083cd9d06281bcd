import { CodedError } from '@posthorn/engine'

/** Why a file cannot be read as CSV. */
export type CsvErrorCode =
  | 'CSV_ENCODING'
  | 'CSV_BINARY'
  | 'CSV_UNCLOSED_QUOTE'
  | 'CSV_MISPLACED_QUOTE'
  | 'CSV_FIELD_TOO_LARGE'
  | 'CSV_ROW_TOO_LARGE'
  | 'CSV_TOO_MANY_COLUMNS'
  | 'CSV_RAGGED_ROW'

/** Where in the file. */
export interface CsvPlace {
  /** From 1. Of a quoted field of several lines, the one it begins on. */
  readonly line: number
  /** A number from 1, or the column's name where it is known. */
  readonly column?: number | string | undefined
}

/** A file that is no CSV, with the place and the reason: `line 7, column 2: has a quote …`. */
export class CsvError extends CodedError<CsvErrorCode> {
  readonly line: number
  readonly column: number | string | undefined
  /** Goes on where the place ends: `has a quote that is never closed`. Holds nothing of the file. */
  readonly reason: string

  constructor(code: CsvErrorCode, { line, column }: CsvPlace, reason: string) {
    super(code, `line ${line}${column === undefined ? '' : `, column ${column}`}: ${reason}`)
    this.line = line
    this.column = column
    this.reason = reason
  }
}

/** A row of a file, with the line it begins on. */
export interface CsvRow {
  readonly line: number
  readonly values: readonly string[]
}

export interface ScannerOptions {
  readonly delimiter: string
  /** The most rows of a batch. */
  readonly batchRows: number
}

const MAX_ROW_BYTES = 64 * 1024
const MAX_FIELD_BYTES = 8 * 1024
const MAX_COLUMNS = 200
const QUOTE = '"'
const CR = 13
const LF = 10

/*
 * A row without quotes, and that is nearly every one, is found by `indexOf` and taken apart by
 * `split`: both run at the speed of the engine below. Only a row with a quote is read field by field.
 * A row that is not complete is kept and read again with what comes next; its size is bounded.
 */
export class RowScanner {
  readonly #options: ScannerOptions
  #rest = ''
  /** Where the rest begins. */
  #line = 1
  #text = ''
  // The next of each in the text at hand, or its end: looked for again only once it is passed, since
  // what is not there at all takes the whole text to look for.
  #nextQuote = 0
  #nextNewline = 0
  #nextReturn = 0
  #isLast = false
  /** How far the row under way has been read, if it was complete. */
  #end = 0
  #lines = 0

  constructor(options: ScannerOptions) {
    this.#options = options
  }

  /** The line that comes after some text which follows on what was scanned. */
  lineAfter(text: string): number {
    return this.#line + lineEnds(this.#rest + text)
  }

  /** The rows that are complete with this text. They are read as they are taken, batch by batch. */
  scan(text: string): Generator<CsvRow[]> {
    return this.#scan(text, 'more comes')
  }

  /** The last row, whose end of line may be missing. */
  end(): Generator<CsvRow[]> {
    return this.#scan('', 'last')
  }

  *#scan(text: string, which: 'more comes' | 'last'): Generator<CsvRow[]> {
    const whole = this.#rest + text
    this.#text = whole
    this.#isLast = which === 'last'
    this.#nextQuote = this.#nextNewline = this.#nextReturn = -1
    let rows: CsvRow[] = []
    let at = 0
    while (at < whole.length) {
      const values = this.#row(at)
      if (values === undefined) break
      // An empty line is no row.
      if (values.length > 0) rows.push({ line: this.#line, values })
      at = this.#end
      this.#line += this.#lines
      if (rows.length < this.#options.batchRows) continue
      yield rows
      rows = []
    }
    this.#rest = whole.slice(at)
    if (rows.length > 0) yield rows
    if (this.#rest.length > MAX_ROW_BYTES) throw this.#tooLong(this.#rest)
  }

  #find(what: string, from: number): number {
    const at = this.#text.indexOf(what, from)
    return at < 0 ? this.#text.length : at
  }

  /** The row that begins at a place; undefined if its end is not here yet. */
  #row(at: number): string[] | undefined {
    if (this.#nextQuote < at) this.#nextQuote = this.#find(QUOTE, at)
    const end = this.#lineEnd(at)
    if (this.#nextQuote < end) return this.#scanQuotedRow(at)
    if (!this.#endsAt(end)) return undefined
    return this.#split(at, end)
  }

  #lineEnd(at: number): number {
    if (this.#nextNewline < at) this.#nextNewline = this.#find('\n', at)
    if (this.#nextReturn < at) this.#nextReturn = this.#find('\r', at)
    return Math.min(this.#nextNewline, this.#nextReturn)
  }

  /** Whether a row's text is over here; then it is known where the next begins. */
  #endsAt(end: number): boolean {
    const text = this.#text
    this.#lines = 1
    this.#end = end + 1
    if (end === text.length) return this.#isLast
    if (text.charCodeAt(end) === LF) return true
    // The second half of a line's end may be in the next piece.
    if (end + 1 === text.length) return this.#isLast
    if (text.charCodeAt(end + 1) === LF) this.#end = end + 2
    return true
  }

  #split(at: number, end: number): string[] {
    if (at === end) return []
    const line = this.#text.slice(at, end)
    const values = line.split(this.#options.delimiter)
    this.#checkSizes(line, values)
    return values
  }

  #checkSizes(line: string, values: readonly string[]): void {
    if (values.length > MAX_COLUMNS) throw this.#tooManyColumns()
    // A character is three bytes at the most for each unit of its length: most rows need no counting.
    if (line.length * 3 > MAX_ROW_BYTES && Buffer.byteLength(line) > MAX_ROW_BYTES) {
      throw this.#tooLong(line)
    }
    if (line.length * 3 <= MAX_FIELD_BYTES) return
    const long = values.findIndex((value) => Buffer.byteLength(value) > MAX_FIELD_BYTES)
    if (long >= 0) throw this.#fieldTooLarge(long + 1)
  }

  /** Field by field, from the row's begin. */
  #scanQuotedRow(begin: number): string[] | undefined {
    const { delimiter } = this.#options
    const values: string[] = []
    let at = begin
    for (;;) {
      const end = this.#field(at, values)
      if (end === undefined) return undefined
      if (values.length > MAX_COLUMNS) throw this.#tooManyColumns()
      if (this.#text.startsWith(delimiter, end)) {
        at = end + delimiter.length
        continue
      }
      if (!this.#endsAt(end)) return undefined
      const row = this.#text.slice(begin, end)
      this.#lines = 1 + lineEnds(row)
      this.#checkSizes(row, values)
      return values
    }
  }

  /** Reads one field into the values and says where it ends. */
  #field(at: number, values: string[]): number | undefined {
    const { delimiter } = this.#options
    if (this.#text.startsWith(QUOTE, at)) return this.#scanQuotedField(at, values)
    const lineEnd = this.#lineEnd(at)
    const line = this.#text.slice(at, lineEnd)
    const length = line.indexOf(delimiter)
    const value = length < 0 ? line : line.slice(0, length)
    if (value.includes(QUOTE)) {
      throw this.#wrong('CSV_MISPLACED_QUOTE', values.length + 1, 'has a quote inside the text')
    }
    values.push(value)
    return at + value.length
  }

  #scanQuotedField(at: number, values: string[]): number | undefined {
    const { delimiter } = this.#options
    const text = this.#text
    let close = at
    do {
      close = text.indexOf(QUOTE, close + 1)
      if (close < 0) return this.#refuseUnclosed(at, values)
      // Two of them are one of the text.
    } while (text.startsWith(QUOTE, close + 1) && (close += 1))
    const end = close + 1
    // A quote at the end of what has come may be the first half of two.
    if (end === text.length && !this.#isLast) return undefined
    const next = text.charCodeAt(end)
    if (end < text.length && next !== CR && next !== LF && !text.startsWith(delimiter, end)) {
      throw this.#wrong('CSV_MISPLACED_QUOTE', values.length + 1, 'goes on after its closing quote')
    }
    const value = text.slice(at + 1, close).replaceAll(QUOTE + QUOTE, QUOTE)
    if (value.length * 3 > MAX_FIELD_BYTES && Buffer.byteLength(value) > MAX_FIELD_BYTES) {
      throw this.#fieldTooLarge(values.length + 1)
    }
    values.push(value)
    return end
  }

  #refuseUnclosed(at: number, values: readonly string[]): undefined {
    const column = values.length + 1
    if (this.#isLast) {
      throw this.#wrong('CSV_UNCLOSED_QUOTE', column, 'has a quote that is never closed')
    }
    if (this.#text.length - at > MAX_FIELD_BYTES) {
      const reason = `has a quote that is not closed within ${MAX_FIELD_BYTES} bytes`
      throw this.#wrong('CSV_UNCLOSED_QUOTE', column, reason)
    }
  }

  #wrong(code: CsvError['code'], column: number, reason: string): CsvError {
    return new CsvError(code, { line: this.#line, column }, reason)
  }

  #fieldTooLarge(column: number): CsvError {
    const reason = `is longer than ${MAX_FIELD_BYTES} bytes`
    return this.#wrong('CSV_FIELD_TOO_LARGE', column, reason)
  }

  /** Of a row too long to be read, the field that makes it so, if one does. */
  #tooLong(row: string): CsvError {
    const long = row
      .split(this.#options.delimiter)
      .findIndex((value) => value.length > MAX_FIELD_BYTES)
    if (long >= 0) return this.#fieldTooLarge(long + 1)
    const reason = `is longer than ${MAX_ROW_BYTES} bytes`
    return new CsvError('CSV_ROW_TOO_LARGE', { line: this.#line }, reason)
  }

  #tooManyColumns(): CsvError {
    const reason = `has more than ${MAX_COLUMNS} columns`
    return new CsvError('CSV_TOO_MANY_COLUMNS', { line: this.#line }, reason)
  }
}

/** How many lines end in a text: CRLF is one end. */
function lineEnds(text: string): number {
  let ends = 0
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === LF || (code === CR && text.charCodeAt(at + 1) !== LF)) ends += 1
  }
  return ends
}
