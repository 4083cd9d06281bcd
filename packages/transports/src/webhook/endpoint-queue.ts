/** Endpoints remembered at once. */
const MAX_ENDPOINTS = 10_000

/** Longer than this a request does not wait for its turn, and an endpoint that takes longer is slow. */
const SLOW_MS = 500

/** Requests to a slow endpoint at once. */
const SLOW_MOST = 4

const LEAST_WAIT_MS = 1_000
const MOST_WAIT_MS = 30_000

/** Share of a new answer in what is usual. */
const EWMA_WEIGHT = 0.2

/** The requests to one endpoint: so many at once, and few while it is slow. */
export class EndpointQueue {
  readonly #most: number
  /** Each is told whether it has its turn. */
  readonly #waiting = new Set<(hasTurn: boolean) => void>()
  /** When each request began. */
  readonly #begun = new Map<object, number>()
  #running = 0
  #usualMs = 0
  #turnedAway = 0

  constructor(most: number) {
    this.#most = most
  }

  get isIdle(): boolean {
    return this.#running === 0 && this.#waiting.size === 0
  }

  /** Waits for a place, which `leave` gives back; false if none became free in time. */
  async enter(): Promise<boolean> {
    if (this.#isStuck) return false
    if (this.#hasPlace) {
      this.#running += 1
      return true
    }
    return new Promise((resolve) => {
      const tell = (hasTurn: boolean) => {
        clearTimeout(timer)
        this.#waiting.delete(tell)
        resolve(hasTurn)
      }
      const timer = setTimeout(tell, SLOW_MS, false)
      this.#waiting.add(tell)
    })
  }

  leave(): void {
    this.#running -= 1
    this.#turnedAway = this.#isSlow ? Math.max(0, this.#turnedAway - 1) : 0
    for (const tell of this.#waiting) {
      if (!this.#hasPlace) return
      this.#running += 1
      tell(true)
    }
  }

  /** Makes a request, and learns how long this endpoint takes. */
  async time<Result>(request: () => Promise<Result>): Promise<Result> {
    const begun = performance.now()
    this.#begun.set(request, begun)
    try {
      return await request()
    } finally {
      this.#begun.delete(request)
      const ms = performance.now() - begun
      this.#usualMs = this.#usualMs * (1 - EWMA_WEIGHT) + ms * EWMA_WEIGHT
    }
  }

  /**
   * When to come back: one after the other, as fast as the endpoint answers, so that a long queue is
   * not claimed and put back every second.
   */
  retryInMs(): number {
    const wait = LEAST_WAIT_MS + (this.#turnedAway * this.#usualMs) / SLOW_MOST
    this.#turnedAway += 1
    return Math.round(Math.min(wait, MOST_WAIT_MS))
  }

  get #hasPlace(): boolean {
    return this.#running < this.#places
  }

  /** So many requests hang that no other is begun. */
  get #isStuck(): boolean {
    const since = performance.now() - SLOW_MS
    const hanging = [...this.#begun.values()].filter((begun) => begun < since)
    return hanging.length >= this.#fewest
  }

  get #places(): number {
    return this.#isSlow ? this.#fewest : this.#most
  }

  get #fewest(): number {
    return Math.min(SLOW_MOST, this.#most)
  }

  get #isSlow(): boolean {
    return this.#usualMs > SLOW_MS
  }
}

/** The queues of all endpoints; one that is forgotten is learnt again by its next requests. */
export class EndpointQueues {
  readonly #most: number
  readonly #byTopic = new Map<string, EndpointQueue>()

  constructor(most: number) {
    this.#most = most
  }

  of(topic: string): EndpointQueue {
    const known = this.#byTopic.get(topic)
    if (known) return known
    if (this.#byTopic.size >= MAX_ENDPOINTS) this.#forgetIdle()
    const queue = new EndpointQueue(this.#most)
    this.#byTopic.set(topic, queue)
    return queue
  }

  #forgetIdle(): void {
    for (const [topic, queue] of this.#byTopic) if (queue.isIdle) this.#byTopic.delete(topic)
  }
}
