/** Lets so many pieces of work run at once; the others wait in the order in which they came. */
export class Semaphore {
  readonly #waiting: (() => void)[] = []
  #free: number

  constructor(places: number) {
    this.#free = places
  }

  /** Runs work when there is a place for it. */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    const release = await this.acquire()
    try {
      return await work()
    } finally {
      release()
    }
  }

  /** Waits for a place until the signal aborts: then it takes none and returns undefined. */
  async acquireUntil(signal: AbortSignal): Promise<(() => void) | undefined> {
    if (signal.aborted) return undefined
    const aborted = Promise.withResolvers<undefined>()
    const giveUp = () => aborted.resolve(undefined)
    signal.addEventListener('abort', giveUp)
    const place = this.acquire()
    const release = await Promise.race([place, aborted.promise])
    signal.removeEventListener('abort', giveUp)
    if (!release) void place.then((late) => late())
    return release
  }

  /** Waits for a place and returns how to give it back, which works once. */
  async acquire(): Promise<() => void> {
    if (this.#free > 0) this.#free -= 1
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      const next = this.#waiting.shift()
      if (next) next()
      else this.#free += 1
    }
  }
}
