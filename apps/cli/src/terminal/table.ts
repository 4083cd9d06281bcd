import type { Terminal } from './terminal.ts'

type Style = Parameters<Terminal['paint']>[0]

/** What stands in a field; undefined is shown as `–`. */
export type Cell = string | undefined | { readonly text: string; readonly style: Style }

export interface TableStyle {
  readonly paint: Terminal['paint']
  /** Columns of the screen: the last field is cut to fit. Undefined without a terminal. */
  readonly width: number | undefined
}

/** How tables look on this terminal. */
export function tableStyle({ paint, stdout }: Terminal): TableStyle {
  return { paint, width: stdout.isTTY ? stdout.columns : undefined }
}

const GAP = '  '
/** Below this a field says nothing any more: then lines may as well wrap. */
const LEAST_WIDTH = 8

/** Lines of a table with a head; columns as wide as their widest field, those with `>` aligned right. */
export function renderTable(
  columns: readonly string[],
  rows: readonly (readonly Cell[])[],
  { paint, width }: TableStyle,
): string[] {
  const titles = columns.map((column) => column.replace('>', ''))
  const widths = titles.map((title, i) =>
    Math.max(title.length, ...rows.map((row) => textOf(row[i]).length)),
  )
  const before = widths.slice(0, -1).reduce((sum, each) => sum + each + GAP.length, 0)
  const last = widths.at(-1) ?? 0
  const room = width === undefined ? last : Math.max(LEAST_WIDTH, width - before)
  const fitted = [...widths.slice(0, -1), Math.min(last, room)]
  const line = (cells: readonly Cell[]) =>
    columns
      .map((column, i) => {
        const text = cut(textOf(cells[i]), fitted[i] ?? 0)
        const space = ' '.repeat((fitted[i] ?? 0) - text.length)
        const shown = paintCell(cells[i], text, paint)
        return column.startsWith('>') ? space + shown : shown + space
      })
      .join(GAP)
      .trimEnd()
  return [line(titles.map((text) => ({ text, style: 'dim' as const }))), ...rows.map(line)]
}

/** The beginning of a text, with `…` for what is missing. */
export function cut(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`
}

function textOf(cell: Cell): string {
  if (cell === undefined || cell === '') return '–'
  return typeof cell === 'string' ? cell : cell.text
}

function paintCell(cell: Cell, text: string, paint: Terminal['paint']): string {
  return typeof cell === 'object' ? paint(cell.style, text) : text
}
