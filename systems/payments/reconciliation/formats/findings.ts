import { createHash } from 'node:crypto'
import { NullableText, nullable } from '@posthorn/system'
import { Type, type Static } from 'typebox'
import { ExactSum } from '../reason.ts'
import type { BalanceCounts } from '../runs/run.ts'
import type { BankRecord, Mistake } from '../profiles/statement-reader.ts'

export const StatementResource = Type.Object({
  number: Type.Integer({ description: 'Position of the statement in the file, from 1' }),
  currency: Type.String(),
  statementId: Type.String({ description: 'Id of the statement at the bank' }),
  account: NullableText,
  from: nullable(Type.String(), { description: 'First day of the statement' }),
  to: nullable(Type.String(), { description: 'Last day of the statement' }),
  sequence: nullable(Type.Integer(), { description: 'Number of the statement in its account' }),
  missing: nullable(Type.Object({ first: Type.Integer(), last: Type.Integer() }), {
    description:
      "Warning: statement numbers missing between the account's previously loaded statement and this one",
  }),
  firstLine: nullable(Type.Integer()),
  lastLine: nullable(Type.Integer()),
  entries: Type.Integer(),
  booked: Type.String({ description: 'Sum of the entries, in minor units' }),
  opening: NullableText,
  closing: NullableText,
  difference: nullable(Type.String(), {
    description: 'Closing balance less opening balance and entries, in minor units',
  }),
  tiesOut: nullable(Type.Boolean(), {
    description:
      'Whether opening balance and entries give the closing balance; null if the file lacks a balance',
  }),
  reason: nullable(Type.String(), { description: 'Why the balances do not tie out' }),
})

/** What a statement of a file says about one currency of its account; amounts in minor units. */
export type StatementBalance = Readonly<
  Omit<Static<typeof StatementResource>, 'difference' | 'missing' | 'tiesOut' | 'reason'>
>

/** As a file has it. */
export interface ReadStatement extends StatementBalance {
  /** Which part of the statement, where it comes in several. */
  readonly page: string
}

/** As it is stored: with the numbers that are missing before it. */
export interface StoredStatement extends StatementBalance {
  readonly missing: Static<typeof StatementResource>['missing']
}

/** What a reader finds in a file beside its records. */
export class Findings {
  readonly mistakes: Mistake[] = []
  readonly statements: ReadStatement[] = []
  /** Entries that are not booked yet. */
  pending = 0
  /** Records and statements of camt.053 that have a number: the files of a ZIP count on. */
  numbered = 0
  begun = 0
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
  /** Which part of it, where it comes in several. */
  page = ''
  from: string | null = null
  to: string | null = null
  sequence: number | null = null

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

  result(): ReadStatement[] {
    return [...this.#figures].map(([currency, figures]) => ({
      number: this.#number,
      currency: copyOf(currency),
      statementId: copyOf(this.statementId),
      account: this.account === null ? null : copyOf(this.account),
      page: copyOf(this.page),
      from: this.from,
      to: this.to,
      sequence: this.sequence,
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

/**
 * What a statement is recognised by in whichever file it comes: account, id, page and days. Undefined
 * where it does not say enough of them.
 */
export function identityOf({ account, statementId, page, from, to }: ReadStatement): Buffer | null {
  if (account === null || statementId === '' || (from ?? to) === null) return null
  const parts = JSON.stringify([account, statementId, page, from, to])
  return createHash('sha256').update(parts).digest()
}

/** A number of a statement: longer ones are no count. */
export function readSequence(text: string): number | null {
  return /^\d{1,9}$/.test(text) ? Number(text) : null
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
export function statementResource(statement: StatementBalance | StoredStatement) {
  const difference = differenceOf(statement)
  return {
    missing: null,
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
