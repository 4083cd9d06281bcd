/**
 * Longest wait for the batches under way before a suspect is tried, and longest time that none begins
 * beside it. A poisoned message nearly always ends its relay at once; one that takes its time must not
 * stop every outbox of the relay meanwhile.
 */
const DRAIN_MS = 250
const QUIET_MS = 250

/** A suspect that has not killed its relay by then keeps no other suspect waiting: it may take minutes. */
const LONG_MS = 5_000

/**
 * Room for one claim of suspects at a time in a whole relay. They are suspected of killing their
 * relay, and losing such a claim is charged: if two outboxes tried theirs at once, the poison of one
 * would be charged to innocent messages of the other, each time the same oldest ones. Ordinary
 * batches give way to it for a moment: those under way when the relay dies are all suspects next,
 * and a relay that is killed several times by one message would make more of them than it can clear.
 */
export class SuspectMutex {
  #isTaken = false
  readonly #waiting = new Set<() => void>()
  #shared = 0
  #isQuiet = false
  #endQuiet: NodeJS.Timeout | undefined
  readonly #held: (() => void)[] = []
  #drained: (() => void) | undefined

  /** Whether an outbox waits for the exclusive claim to end. */
  get isWanted(): boolean {
    return this.#waiting.size > 0
  }

  /**
   * Runs `work` unless another outbox is exclusive; then `again` is called when that is over. Work that takes
   * long asks whether it is still alone before it goes on to the next suspect.
   */
  async alone<Result>(
    work: (isAlone: () => boolean) => Promise<Result>,
    again: () => void,
  ): Promise<Result | undefined> {
    if (this.#isTaken) {
      this.#waiting.add(again)
      return undefined
    }
    this.#isTaken = true
    let isOver = false
    const free = () => {
      if (isOver) return
      isOver = true
      this.#isTaken = false
      this.#resume()
      const called = [...this.#waiting]
      this.#waiting.clear()
      called.forEach((call) => call())
    }
    const timer = setTimeout(free, LONG_MS)
    try {
      return await work(() => !isOver)
    } finally {
      clearTimeout(timer)
      free()
    }
  }

  /** Runs an ordinary claim, not before a suspect that is being tried has had its moment. */
  async share<Result>(work: () => Promise<Result>): Promise<Result> {
    // `#resume` has counted it already.
    if (this.#isQuiet) await new Promise<void>((resolve) => void this.#held.push(resolve))
    else this.#shared += 1
    try {
      return await work()
    } finally {
      this.#shared -= 1
      if (this.#shared === 0) this.#drained?.()
    }
  }

  /** Called by the exclusive outbox with a suspect in hand: lets nothing begin, and waits for what is under way. */
  async quieten(): Promise<void> {
    // Within one quiet stretch several suspects are tried.
    if (this.#endQuiet !== undefined) return
    this.#isQuiet = true
    if (this.#shared > 0) await this.#drain()
    this.#endQuiet = setTimeout(() => this.#resume(), QUIET_MS)
  }

  async #drain(): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, DRAIN_MS)
      this.#drained = () => {
        clearTimeout(timer)
        resolve()
      }
    })
    this.#drained = undefined
  }

  /** What was held begins, and counts as begun before the next suspect can ask for quiet. */
  #resume(): void {
    clearTimeout(this.#endQuiet)
    this.#endQuiet = undefined
    this.#isQuiet = false
    const held = this.#held.splice(0)
    this.#shared += held.length
    held.forEach((begin) => begin())
  }
}
