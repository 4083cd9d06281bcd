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
