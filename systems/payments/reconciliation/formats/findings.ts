import { NullableText, nullable } from '@posthorn/system'
import { Type, type Static } from 'typebox'
import { ExactSum } from '../reason.ts'
import type { BalanceCounts } from '../runs/run.ts'
import type { BankRecord, Mistake } from '../profiles/statement-reader.ts'

export const StatementResource = Type.Object({
  number: Type.Integer({ description: 'which one of the file, from 1' }),
  currency: Type.String(),
  statementId: Type.String({ description: 'as the bank calls it' }),
  account: NullableText,
  firstLine: nullable(Type.Integer()),
  lastLine: nullable(Type.Integer()),
  entries: Type.Integer(),
  booked: Type.String({ description: 'what the entries add up to, in minor units' }),
  opening: NullableText,
  closing: NullableText,
  difference: nullable(Type.String(), {
    description: 'the closing balance less the opening one and the entries, in minor units',
  }),
  tiesOut: nullable(Type.Boolean(), {
    description: 'null where the file does not say both balances',
  }),
  reason: nullable(Type.String(), { description: 'why not, in words' }),
})

/** What a statement of a file says about one currency of its account; amounts in minor units. */
export type StatementBalance = Readonly<
  Omit<Static<typeof StatementResource>, 'difference' | 'tiesOut' | 'reason'>
>

/** What a reader finds in a file beside its records. */
export class Findings {
  readonly mistakes: Mistake[] = []
  readonly statements: StatementBalance[] = []
  /** Entries that are not booked yet. */
  pending = 0
}

/** Statements of a file at the most. */
export const MOST_STATEMENTS = 20_000

interface CurrencyFigures {
  entries: number
  readonly booked: ExactSum
  opening: number | undefined
  closing: number | undefined
  firstLine: number | null
  lastLine: number | null
}

/** A statement while it is read. */
export class StatementFigures {
  readonly #number: number
  readonly #figures = new Map<string, CurrencyFigures>()
  statementId = ''
  account: string | null = null

  constructor(number: number) {
    this.#number = number
  }

  get number(): number {
    return this.#number
  }

  setOpening(currency: string, amount: number): void {
    this.#of(currency).opening = amount
  }

  setClosing(currency: string, amount: number): void {
    this.#of(currency).closing = amount
  }

  /** An entry is booked once, however many records it is listed as. */
  addEntry(currency: string, amount: number): void {
    const figures = this.#of(currency)
    figures.entries += 1
    figures.booked.add(amount)
  }

  addRecord({ currency, line }: BankRecord): void {
    const figures = this.#of(currency)
    figures.firstLine ??= line
    figures.lastLine = line
  }

  result(): StatementBalance[] {
    return [...this.#figures].map(([currency, figures]) => ({
      number: this.#number,
      currency: copyOf(currency),
      statementId: copyOf(this.statementId),
      account: this.account === null ? null : copyOf(this.account),
      firstLine: figures.firstLine,
      lastLine: figures.lastLine,
      entries: figures.entries,
      booked: String(figures.booked.value),
      opening: figures.opening === undefined ? null : String(figures.opening),
      closing: figures.closing === undefined ? null : String(figures.closing),
    }))
  }

  #of(currency: string): CurrencyFigures {
    let figures = this.#figures.get(currency)
    if (figures === undefined) {
      figures = {
        entries: 0,
        booked: new ExactSum(),
        opening: undefined,
        closing: undefined,
        firstLine: null,
        lastLine: null,
      }
      this.#figures.set(currency, figures)
    }
    return figures
  }
}

/** A text that is part of a piece of the file would keep all of it. */
function copyOf(text: string): string {
  return Buffer.from(text).toString()
}

/** By how much the closing balance is more than opening balance and entries; null: not to be known. */
export function differenceOf({ opening, closing, booked }: StatementBalance): bigint | null {
  if (opening === null || closing === null) return null
  return BigInt(closing) - BigInt(opening) - BigInt(booked)
}

export function balanceCounts(statements: readonly StatementBalance[]): BalanceCounts {
  const differences = statements.map(differenceOf)
  return {
    tied: differences.filter((difference) => difference === 0n).length,
    differing: differences.filter((difference) => difference !== null && difference !== 0n).length,
    unknown: differences.filter((difference) => difference === null).length,
  }
}

/** A statement of a file in one currency, and whether its balances tie out. */
export function statementResource(statement: StatementBalance) {
  const difference = differenceOf(statement)
  return {
    ...statement,
    difference: difference === null ? null : String(difference),
    ...why(statement, difference),
  }
}

/** In words, where they do not. */
function why({ opening, closing }: StatementBalance, difference: bigint | null) {
  if (difference === 0n) return { tiesOut: true, reason: null }
  if (difference !== null) {
    const more = difference > 0n ? 'more' : 'less'
    const size = difference < 0n ? -difference : difference
    const reason = `The closing balance is ${size} minor units ${more} than the opening balance and the entries.`
    return { tiesOut: false, reason }
  }
  const missing = [opening === null && 'opening', closing === null && 'closing']
  const names = missing.filter((name) => name !== false).join(' and no ')
  return { tiesOut: null, reason: `The file says no ${names} balance.` }
}
