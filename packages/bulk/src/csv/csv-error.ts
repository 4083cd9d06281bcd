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
