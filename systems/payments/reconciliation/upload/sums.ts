import type { BankRecord } from '../profiles/statement-reader.ts'

/** What the records of a currency add up to. */
export interface CurrencySum {
  readonly records: number
  /** Minor units as text: a large file has more than a number can say. */
  readonly amount: string
}

interface Running {
  records: number
  /** Added to the whole before it can lose a unit. */
  part: number
  whole: bigint
}

/** A part below this and one more record are exact. */
const MOST_PART = 2 ** 52

/** Adds up a file, each currency for itself. */
export class Sums {
  readonly #sums = new Map<string, Running>()

  add({ currency, amount }: BankRecord): void {
    let sum = this.#sums.get(currency)
    if (sum === undefined) {
      sum = { records: 0, part: 0, whole: 0n }
      this.#sums.set(currency, sum)
    }
    sum.records += 1
    sum.part += amount
    if (Math.abs(sum.part) < MOST_PART) return
    sum.whole += BigInt(sum.part)
    sum.part = 0
  }

  /** By currency, in the order of their names. */
  result(): Record<string, CurrencySum> {
    const entries = [...this.#sums].toSorted(([a], [b]) => (a < b ? -1 : 1))
    return Object.fromEntries(
      entries.map(([currency, { records, part, whole }]) => {
        return [currency, { records, amount: String(whole + BigInt(part)) }]
      }),
    )
  }
}
