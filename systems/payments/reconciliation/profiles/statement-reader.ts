import type { CsvRow } from '@posthorn/bulk/csv'
import { showName } from '@posthorn/bulk/zip'
import type { FieldError } from '@posthorn/http'
import { exponentOf } from '@posthorn/system'
import { readAmount, datePattern, type DateReader } from './amount.ts'
import type { Rules } from './rules.ts'

/** Where a column is, and what to call it. */
interface ColumnRef {
  readonly index: number
  readonly name: string
}

type Field = keyof Rules['columns']

/** The columns that rules name, in one file. */
type Positions = Readonly<
  Record<'externalTransactionId' | 'date', ColumnRef> & Partial<Record<Field, ColumnRef>>
>

interface FoundColumns {
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
function positionsOf(
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

/** What a row of a bank's file says. */
export interface BankRecord {
  /** Of a camt.053 statement, which has no lines, its number in the file. */
  readonly line: number
  readonly externalTransactionId: string
  /** In minor units; negative where money went out. */
  readonly amount: number
  readonly currency: string
  /** As `2026-03-07`. */
  readonly bookedOn: string
  /** What was taken off before the money was booked, where the file names it; never 0. */
  readonly fee?: number | undefined
}

/** What is wrong with a row. Holds nothing of the file: it may be shown and logged. */
export interface Mistake {
  /** The file of a ZIP. */
  readonly file?: string
  readonly line: number
  /** As the file or the profile calls it; undefined for the row as a whole. */
  readonly column?: string | undefined
  readonly reason: string
}

/** `line 7, amount`, in a ZIP after the name of the file, and the reason. */
export function fieldError({ file, line, column, reason }: Mistake): FieldError {
  const places = [file === undefined ? undefined : showName(file), `line ${line}`, column]
  return { field: places.filter((place) => place !== undefined).join(', '), reason }
}

const LONGEST_ID = 255
/** Written by people who want a spreadsheet to run it; a number may begin with a sign. */
const FORMULA = /^(?:[=@＝＠]|[+\-＋－]\D)/
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const CONTROL = /[\u0000-\u001F\u007F]/

/** `1.000` is one in some countries and a thousand in others. */
const MAY_BE_THOUSANDS = /^[-+\u2212]?\d{1,3}[.,]000-?$/

/** Turns the rows of a file into records, by rules. */
export class StatementReader {
  readonly mistakes: Mistake[]
  readonly #rules: Rules
  readonly #date: DateReader
  readonly #debit: ReadonlySet<string>
  readonly #credit: ReadonlySet<string>
  #columns: Positions | undefined
  #width = 0
  #isLost = false

  /** Mistakes are added to those that are known already. */
  constructor(rules: Rules, mistakes: Mistake[] = []) {
    this.mistakes = mistakes
    this.#rules = rules
    this.#date = datePattern(rules.dateFormat) ?? (() => undefined)
    this.#debit = new Set(rules.debitFlags)
    this.#credit = new Set(rules.creditFlags)
  }

  /** Whether the names of the columns have come, or none will. */
  get hasHeader(): boolean {
    return this.#columns !== undefined
  }

  /** Whether a column is missing in the header: no row can be read. */
  get isLost(): boolean {
    return this.#isLost
  }

  /** The record of a row; undefined for a row before the header, the header, or one with mistakes. */
  read(row: CsvRow): BankRecord | undefined {
    const columns = this.#columns
    if (columns === undefined) return this.#begin(row)
    const { line, values } = row
    if (values.length !== this.#width) {
      const reason = `has ${values.length} columns where the first row has ${this.#width}`
      return this.#wrong(line, undefined, reason)
    }
    const known = this.mistakes.length
    const externalTransactionId = this.#id(row, columns.externalTransactionId)
    const currency = this.#currency(row, columns.currency)
    const amount = currency === undefined ? 0 : this.#amount(row, columns, currency)
    const bookedOn = this.#readDate(row, columns.date)
    if (this.mistakes.length > known || currency === undefined) return undefined
    return { line, externalTransactionId, amount, currency, bookedOn }
  }

  #begin(row: CsvRow): BankRecord | undefined {
    const { headerLine, columns } = this.#rules
    if (headerLine !== null && row.line < headerLine) return undefined
    const found = positionsOf(columns, { row, hasNames: headerLine !== null })
    this.mistakes.push(...found.mistakes)
    this.#isLost = found.mistakes.length > 0
    this.#columns = found.positions
    this.#width = row.values.length
    return headerLine === null && !this.#isLost ? this.read(row) : undefined
  }

  #wrong(line: number, column: string | undefined, reason: string): undefined {
    this.mistakes.push({ line, column, reason })
  }

  #id({ line, values }: CsvRow, { index, name }: ColumnRef): string {
    const id = (values[index] ?? '').trim()
    if (id === '') this.#wrong(line, name, 'is empty')
    else if (id.length > LONGEST_ID) {
      this.#wrong(line, name, `is longer than ${LONGEST_ID} characters`)
    } else if (FORMULA.test(id)) this.#wrong(line, name, 'looks like a formula')
    else if (CONTROL.test(id)) this.#wrong(line, name, 'has a control character')
    return id
  }

  #currency({ line, values }: CsvRow, column: ColumnRef | undefined): string | undefined {
    if (column === undefined) return this.#rules.currency
    const currency = (values[column.index] ?? '').trim()
    if (exponentOf(currency) !== undefined) return currency
    const reason = currency === '' ? 'is empty' : 'is not a currency of ISO 4217'
    return this.#wrong(line, column.name, reason)
  }

  #readDate({ line, values }: CsvRow, { index, name }: ColumnRef): string {
    const date = this.#date((values[index] ?? '').trim())
    if (date !== undefined) return date
    this.#wrong(line, name, `is not a date as ${this.#rules.dateFormat}`)
    return ''
  }

  #amount(row: CsvRow, columns: Positions, currency: string): number {
    if (columns.debit && columns.credit) return this.#debitOrCredit(row, columns, currency)
    const { amount: column, flag } = columns
    if (!column) return 0
    const amount = this.#number(row, column, currency)
    return flag === undefined || amount === undefined
      ? (amount ?? 0)
      : this.#applyFlag(row, flag, amount)
  }

  #number(row: CsvRow, { index, name }: ColumnRef, currency: string): number | undefined {
    const text = (row.values[index] ?? '').trim()
    const exponent = exponentOf(currency) ?? 0
    const amount =
      exponent < 3 && this.#rules.thousands === '' && MAY_BE_THOUSANDS.test(text)
        ? 'has three decimals or a thousands separator: set `thousands` in a profile'
        : readAmount(text, this.#rules, exponent)
    return typeof amount === 'number' ? amount : this.#wrong(row.line, name, amount)
  }

  /** One of the two has the amount; the other is empty or zero. */
  #debitOrCredit(row: CsvRow, { debit, credit }: Positions, currency: string): number {
    const amounts = [debit, credit].map((column) =>
      column === undefined || (row.values[column.index] ?? '').trim() === ''
        ? 0
        : this.#number(row, column, currency),
    )
    const [out, into] = amounts
    if (out === undefined || into === undefined) return 0
    if (out !== 0 && into !== 0) this.#wrong(row.line, credit?.name, 'is there beside a debit')
    const isEmpty = [debit, credit].every(
      (column) => (row.values[column?.index ?? -1] ?? '').trim() === '',
    )
    if (isEmpty) this.#wrong(row.line, credit?.name, 'is empty, and the debit too')
    // Banks write a debit with or without its sign: it goes out either way.
    return out !== 0 ? -Math.abs(out) : into
  }

  #applyFlag({ line, values }: CsvRow, { index, name }: ColumnRef, amount: number): number {
    const flag = (values[index] ?? '').trim()
    if (this.#credit.has(flag)) return amount
    if (this.#debit.has(flag)) return amount === 0 ? 0 : -amount
    this.#wrong(line, name, 'is neither a debit flag nor a credit flag')
    return 0
  }
}
