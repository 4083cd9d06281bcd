import { STANDARD_RULES } from '../../../reconciliation/profiles/standard.ts'
import {
  datePattern,
  type NumberStyle,
  readAmount,
} from '../../../reconciliation/profiles/amount.ts'
import type { Rules } from './rules.ts'

/** Guessed rules; the user sees the rows and corrects them. */
export interface Guess {
  readonly rules: Rules
  /** The columns to choose from: names, or positions where there is no header. */
  readonly columns: readonly string[]
}

const DELIMITERS = [',', ';', '\t', '|'] as const

const DATE_FORMATS = [
  ...['yyyy-MM-dd', 'dd.MM.yyyy', 'dd.MM.yy', 'd.M.yyyy', 'dd/MM/yyyy', 'MM/dd/yyyy', 'd/M/yyyy'],
  ...[
    'M/d/yyyy',
    'dd-MM-yyyy',
    'yyyy/MM/dd',
    'yyyyMMdd',
    'yyyy-MM-dd HH:mm:ss',
    'yyyy-MM-dd HH:mm',
  ],
  ...['yyyy-MM-ddTHH:mm:ss', 'yyyy-MM-ddTHH:mm:ssZ', 'dd/MM/yyyy HH:mm:ss', 'dd.MM.yyyy HH:mm:ss'],
]

const STYLES: readonly NumberStyle[] = [
  { decimal: '.', thousands: ',' },
  { decimal: ',', thousands: '.' },
  { decimal: ',', thousands: ' ' },
  { decimal: '.', thousands: "'" },
]

/** Words of a debit or credit column: out, in. */
const FLAGS = [
  ...[
    ['S', 'H'],
    ['D', 'C'],
    ['DR', 'CR'],
    ['DBIT', 'CRDT'],
    ['Af', 'Bij'],
    ['-', '+'],
  ],
  ...[
    ['Debit', 'Credit'],
    ['Soll', 'Haben'],
    ['Lastschrift', 'Gutschrift'],
  ],
] as const

/** Names that banks give to columns. */
const NAMES = {
  amount: /amount|betrag|bedrag|montant|importe|importo|umsatz|sum/i,
  balance: /balance|saldo|solde|stand|guthaben|ursprung|original|fee/i,
  credit: /credit|haben|eingang|gutschrift|bij|paid in|money in|entr/i,
  date: /buchung|booking|posted|datum|date|fecha|data/i,
  debit: /debit|soll|ausgang|lastschrift|belast|\baf\b|paid out|money out|withdraw|sort/i,
  valueDate: /valuta|value|wert/i,
  id: [
    /external.?transaction.?id|end.?to.?end/i,
    /(payment|transaction).?(id|ref)|kundenreferenz|referen[czt]|kenmerk|^ref/i,
    /zweck|mededeling|purpose|remittance|memo/i,
    /omschrijving|description|libell/i,
    /\bid\b/i,
  ],
} as const

/** XML and SWIFT files need no profile. */
const OTHER_FORMAT = /^\s*(?:<|\{1:|:20:)/

const MOST_ROWS = 100

/** Guesses separator, header, columns, numbers and dates from the beginning of a CSV file. */
export function guessRules(bytes: Uint8Array): Guess {
  const { text, encoding } = decode(bytes)
  if (OTHER_FORMAT.test(text)) return { rules: STANDARD_RULES, columns: [] }
  const { delimiter, rows } = splitText(text)
  const [first, ...others] = rows
  const hasHeader = !(first?.cells ?? []).some((cell) => isDate(cell) || isAmount(cell))
  const names = first?.cells.map((cell) => cell.trim()) ?? []
  const columns = names.map((name, i) =>
    hasHeader && name !== '' && names.indexOf(name) === i ? name : String(i + 1),
  )
  const table = (hasHeader ? others : rows).slice(0, MOST_ROWS)
  const cells = columns.map((name, i) => ({
    name,
    ref: /^\d+$/.test(name) ? i + 1 : name,
    values: table.map((row) => (row.cells[i] ?? '').trim()),
  }))
  const dates = cells.filter(({ values }) => formatOf(values) !== undefined)
  const date =
    dates.find(({ name }) => NAMES.date.test(name) && !NAMES.valueDate.test(name)) ?? dates[0]
  const money = guessMoney(cells.filter((cell) => !dates.includes(cell)))
  const currency = cells.find(({ values }) => isEach(values, (value) => /^[A-Z]{3}$/.test(value)))
  const taken: readonly unknown[] = [date, currency, ...money.cells]
  const free = cells.filter((cell) => !taken.includes(cell))
  const id =
    NAMES.id.flatMap((name) => free.find((cell) => name.test(cell.name)) ?? [])[0] ??
    free.find(({ values }) => isEach(values, (value) => value !== ''))
  // `Bedrag (EUR)`
  const named = /\(([A-Z]{3})\)/.exec(money.cells[0]?.name ?? '')?.[1]
  return {
    columns,
    rules: {
      ...STANDARD_RULES,
      ...{ delimiter, encoding, headerLine: hasHeader ? (first?.line ?? 1) : null },
      ...money.rules,
      dateFormat: formatOf(date?.values ?? []) ?? STANDARD_RULES.dateFormat,
      columns: {
        externalTransactionId: id?.ref ?? '',
        date: date?.ref ?? '',
        ...(currency && { currency: currency.ref }),
        ...money.columns,
      },
      ...(!currency && { currency: named ?? '' }),
    },
  }
}

function decode(bytes: Uint8Array): { text: string; encoding: 'utf-8' | 'windows-1252' } {
  try {
    // A letter may be cut in two at the end of the sample.
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true })
    return { text, encoding: 'utf-8' }
  } catch {
    return { text: new TextDecoder('windows-1252').decode(bytes), encoding: 'windows-1252' }
  }
}

interface Line {
  readonly line: number
  readonly cells: readonly string[]
}

/** The rows with the most common number of cells, by the separator that fits best. */
function splitText(text: string) {
  const lines = text.split(/\r\n|\r|\n/).slice(0, MOST_ROWS)
  const tries = DELIMITERS.map((delimiter) => {
    const all = lines.map((line, i): Line => ({ line: i + 1, cells: cellsOf(line, delimiter) }))
    const groups = Map.groupBy(all, ({ cells }) => cells.length)
    groups.delete(1)
    const rows = [...groups.values()].toSorted((one, other) => other.length - one.length)[0] ?? []
    return { delimiter, rows }
  })
  const weight = ({ rows }: (typeof tries)[number]) => rows.length * (rows[0]?.cells.length ?? 0)
  return tries.reduce((best, each) => (weight(each) > weight(best) ? each : best))
}

/** Splits a line; a quoted cell may contain separators. */
function cellsOf(line: string, delimiter: string): string[] {
  const cells = ['']
  let isQuoted = false
  for (const letter of line) {
    if (letter === '"') isQuoted = !isQuoted
    else if (letter === delimiter && !isQuoted) cells.push('')
    else cells.push(`${cells.pop() ?? ''}${letter}`)
  }
  return cells
}

function isEach(values: readonly string[], fits: (value: string) => boolean): boolean {
  return values.length > 0 && values.every(fits)
}

function formatOf(values: readonly string[]): string | undefined {
  return DATE_FORMATS.find((format) => {
    const read = datePattern(format)
    return isEach(values, (value) => read?.(value) !== undefined)
  })
}

function isDate(value: string): boolean {
  return formatOf([value.trim()]) !== undefined
}

function isAmount(value: string): boolean {
  return /\d[.,]\d{2}$/.test(value.trim()) && styleOf([value.trim()]) !== undefined
}

/** The style that reads all of these numbers; undefined if there is none. */
function styleOf(values: readonly string[]): NumberStyle | undefined {
  const filled = values.filter((value) => value !== '')
  return STYLES.find((style) =>
    isEach(filled, (value) => typeof readAmount(value, style, 2) === 'number'),
  )
}

interface Cells {
  readonly name: string
  readonly ref: string | number
  readonly values: readonly string[]
}

/** Finds the amount and its sign: in the amount, in two columns, or in a column of words. */
function guessMoney(cells: readonly Cells[]) {
  const numbers = cells.filter(
    ({ name, values }) => styleOf(values) !== undefined && !NAMES.balance.test(name),
  )
  const debit = numbers.find(({ name }) => NAMES.debit.test(name))
  const credit = numbers.find(({ name }) => NAMES.credit.test(name))
  if (debit && credit && debit !== credit) {
    const { decimal, thousands } = styleOf([...debit.values, ...credit.values]) ?? STANDARD_RULES
    return {
      cells: [debit, credit],
      columns: { debit: debit.ref, credit: credit.ref },
      rules: { decimal, thousands, sign: 'debit-credit' as const },
    }
  }
  const amount =
    numbers.find(({ name }) => NAMES.amount.test(name)) ??
    numbers.find(({ values }) => values.some((value) => /[.,]\d{2}$/.test(value)))
  const { decimal, thousands } = styleOf(amount?.values ?? []) ?? STANDARD_RULES
  const flagged = FLAGS.flatMap(([out, into]) => {
    const fits = ({ values }: Cells) => isEach(values, (value) => value === out || value === into)
    return cells.filter(fits).map((cell) => ({ cell, out, into }))
  })[0]
  if (!flagged) {
    return {
      cells: amount ? [amount] : [],
      columns: { amount: amount?.ref ?? '' },
      rules: { decimal, thousands, sign: 'signed' as const },
    }
  }
  const { cell, out, into } = flagged
  return {
    cells: amount ? [amount, cell] : [cell],
    columns: { amount: amount?.ref ?? '', flag: cell.ref },
    rules: {
      ...{ decimal, thousands, sign: 'flag' as const },
      ...{ debitFlags: [out as string], creditFlags: [into as string] },
    },
  }
}
