/** A line of results: JSON as it is, or a row of the table. */
export type Line = Readonly<Record<string, string | number | readonly number[]>>

/** How results leave the benchmark. */
export interface Report {
  /** What the numbers were got with. */
  setting(name: string, value: string): void
  /** One table: lines with the same fields. */
  table(title: string, lines: readonly Line[]): void
}

/** One JSON object a line. */
export function jsonReport(bench: string, write: (text: string) => void): Report {
  return {
    setting: (name, value) => write(`${JSON.stringify({ bench, setting: name, value })}\n`),
    table: (_title, lines) => {
      for (const line of lines) write(`${JSON.stringify({ bench, ...line })}\n`)
    },
  }
}

/** Aligned columns for people. */
export function textReport(_bench: string, write: (text: string) => void): Report {
  return {
    setting: (name, value) => write(`${name.padEnd(32)} ${value}\n`),
    table(title, lines) {
      const [first] = lines
      if (!first) return
      const columns = Object.keys(first)
      const cells = [
        columns.map(heading),
        ...lines.map((line) => columns.map((c) => cell(line[c]))),
      ]
      const widths = columns.map((_, i) => Math.max(...cells.map((row) => row[i]?.length ?? 0)))
      const numeric = columns.map((column) => typeof first[column] !== 'string')
      const text = cells.map((row) =>
        row
          .map((value, i) =>
            numeric[i] ? value.padStart(widths[i] ?? 0) : value.padEnd(widths[i] ?? 0),
          )
          .join('  ')
          .trimEnd(),
      )
      write(`\n${title}\n${text.join('\n')}\n`)
    },
  }
}

/** `walBytesPerMessage` → `wal bytes per message`. */
function heading(column: string): string {
  return column.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
}

/** A value as text. */
function cell(value: Line[string] | undefined): string {
  if (value === undefined) return ''
  if (typeof value === 'string') return value
  if (typeof value === 'number') return number(value)
  return value.map(number).join(' ')
}

function number(value: number): string {
  return Number.isInteger(value) ? value.toLocaleString('en-US') : value.toString()
}

/** Three digits that count: enough to compare, and no more than the measurement holds. */
export function round(value: number): number {
  if (!Number.isFinite(value)) return value
  return Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3))
}

/** A line that compares two numbers, where both are there. */
export function ratio(name: string, one: number | undefined, other: number | undefined): Line[] {
  if (!one || !other || !Number.isFinite(other)) return []
  return [{ ratio: name, value: Number((one / other).toFixed(2)) }]
}
