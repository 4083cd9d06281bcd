/** A part below this and one more amount are exact. */
const MOST_PART = 2 ** 52

/** Adds up whole numbers, each of which is exact: the sum may be larger than a number can say. */
export class ExactSum {
  #whole = 0n
  /** Added to the whole before it can lose a unit. */
  #part = 0

  add(amount: number): void {
    this.#part += amount
    if (Math.abs(this.#part) < MOST_PART) return
    this.#whole += BigInt(this.#part)
    this.#part = 0
  }

  get value(): bigint {
    return this.#whole + BigInt(this.#part)
  }
}
