import { ExactSum } from '../exact-sum.ts'
import type { BankRecord } from '../profiles/statement-reader.ts'

/** What the records of a currency add up to. */
export interface CurrencySum {
  readonly records: number
  /** Minor units as text: a large file has more than a number can say. */
  readonly amount: string
}

interface Running {
  records: number
  readonly amount: ExactSum
}

/** Adds up a file, each currency for itself. */
export class Sums {
  readonly #sums = new Map<string, Running>()

  add({ currency, amount }: BankRecord): void {
    let sum = this.#sums.get(currency)
    if (sum === undefined) {
      sum = { records: 0, amount: new ExactSum() }
      this.#sums.set(currency, sum)
    }
    sum.records += 1
    sum.amount.add(amount)
  }

  /** By currency, in the order of their names. */
  result(): Record<string, CurrencySum> {
    const entries = [...this.#sums].toSorted(([a], [b]) => (a < b ? -1 : 1))
    return Object.fromEntries(
      entries.map(([currency, { records, amount }]) => {
        return [currency, { records, amount: String(amount.value) }]
      }),
    )
  }
}
