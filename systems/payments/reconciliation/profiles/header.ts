import type { CsvRow } from '@posthorn/bulk/csv'
import type { Rules } from './rules.ts'
import type { Mistake } from './statement-reader.ts'

/** Where a column is, and what to call it. */
export interface ColumnRef {
  readonly index: number
  readonly name: string
}

type Field = keyof Rules['columns']

/** The columns that rules name, in one file. */
export type Positions = Readonly<
  Record<'externalTransactionId' | 'date', ColumnRef> & Partial<Record<Field, ColumnRef>>
>

export interface FoundColumns {
  readonly positions: Positions
  readonly mistakes: readonly Mistake[]
}

const FIELDS: readonly Field[] = [
  'externalTransactionId',
  'amount',
  'debit',
  'credit',
  'flag',
  'currency',
  'date',
]

/**
 * Finds the columns in the first row. Names are compared without their case and the blanks around
 * them; further columns are ignored.
 */
export function positionsOf(
  columns: Rules['columns'],
  { row, hasNames }: { readonly row: CsvRow; readonly hasNames: boolean },
): FoundColumns {
  const names = hasNames ? row.values.map(plain) : []
  const mistakes: Mistake[] = []
  const refs = new Map<Field, ColumnRef>()
  for (const field of FIELDS) {
    const column = columns[field]
    if (column === undefined) continue
    const name = typeof column === 'string' ? column : `column ${column}`
    const index = typeof column === 'string' ? names.indexOf(plain(column)) : column - 1
    const reason =
      typeof column === 'string' && names.includes(plain(column), index + 1) && index >= 0
        ? 'is twice in the header'
        : reasonAgainst(index, row)
    if (reason !== undefined) mistakes.push({ line: row.line, column: name, reason })
    refs.set(field, { index, name })
  }
  return { positions: Object.fromEntries(refs) as Positions, mistakes }
}

function reasonAgainst(index: number, { values }: CsvRow): string | undefined {
  if (index < 0) return 'is missing in the header'
  return index < values.length ? undefined : `is missing: the row has ${values.length} columns`
}

function plain(name: string): string {
  return name.trim().toLowerCase()
}
