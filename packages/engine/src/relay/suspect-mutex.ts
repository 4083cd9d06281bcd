/**
 * Room for one lone claim at a time in a whole relay. What is claimed alone is suspected of killing
 * its relay, and losing a lone claim is charged: if two outboxes were alone at once, the poison of
 * one would be charged to an innocent message of the other, each time the same oldest one.
 */
export class SuspectMutex {
  #isTaken = false
  readonly #waiting = new Set<() => void>()

  /** Whether a lane waits for the exclusive claim to end. */
  get isWanted(): boolean {
    return this.#waiting.size > 0
  }

  /** Runs `work` unless another lane is exclusive; then `again` is called when that is over. */
  async alone<Result>(work: () => Promise<Result>, again: () => void): Promise<Result | undefined> {
    if (this.#isTaken) {
      this.#waiting.add(again)
      return undefined
    }
    this.#isTaken = true
    try {
      return await work()
    } finally {
      this.#isTaken = false
      const waiting = [...this.#waiting]
      this.#waiting.clear()
      waiting.forEach((call) => call())
    }
  }
}
