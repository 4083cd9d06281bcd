/** Endpoints remembered at once. */
const MAX_ENDPOINTS = 10_000

/** Something that runs once, when its turn has come. */
export interface Job {
  run(): Promise<void>
}

/** Requests to a slow endpoint that may be under way at once. */
const SLOW_MOST = 4

const LEAST_WAIT_MS = 1_000
const MOST_WAIT_MS = 30_000

/** An answer may take this many times as long as usual before its batch stops waiting. */
const USUAL_TIMES = 4
/** Share of a new answer in what is usual. */
const EWMA_WEIGHT = 0.2

/**
 * The requests to one endpoint. One that takes much longer than usual is left to itself; while that
 * goes on, or where it is the rule, only a few are under way at once and no batch waits for them.
 */
export class EndpointQueue {
  readonly #most: number
  readonly #patienceMs: number
  readonly #waiting: Job[] = []
  #running = 0
  #left = 0
  /** Undefined: it has not answered yet, so patience is short. */
  #usualMs: number | undefined
  #turnedAway = 0

  constructor({ most, patienceMs }: { most: number; patienceMs: number }) {
    this.#most = most
    this.#patienceMs = patienceMs
  }

  /** Waiting for an answer would be in vain. */
  get isSlow(): boolean {
    return this.#left > 0 || (this.#usualMs ?? 0) > this.#patienceMs
  }

  /** How long an answer is waited for, at least `leastMs`. */
  patienceMs(leastMs: number): number {
    return Math.min(Math.max(leastMs, (this.#usualMs ?? 0) * USUAL_TIMES), this.#patienceMs)
  }

  /** Nothing can be started now. */
  get isStuck(): boolean {
    return this.#left >= Math.min(SLOW_MOST, this.#most)
  }

  get isIdle(): boolean {
    return this.#running === 0 && this.#waiting.length === 0
  }

  /** Starts a job as soon as there is room. */
  add(job: Job): void {
    this.#waiting.push(job)
    this.#next()
  }

  /** Takes a job back that has not been started. False: it has. */
  withdraw(job: Job): boolean {
    const at = this.#waiting.indexOf(job)
    if (at >= 0) this.#waiting.splice(at, 1)
    return at >= 0
  }

  /** A batch stops waiting for a job that is under way. */
  leave(): void {
    this.#left += 1
  }

  /** A job that was left is over. */
  noteReturn(): void {
    this.#left -= 1
    this.#turnedAway = Math.max(0, this.#turnedAway - 1)
  }

  /** An answer came, or a failure ended the request. */
  noteAnswer(ms: number): void {
    this.#usualMs =
      this.#usualMs === undefined ? ms : this.#usualMs * (1 - EWMA_WEIGHT) + ms * EWMA_WEIGHT
    if (!this.isSlow) this.#turnedAway = 0
  }

  /**
   * When to come back: one after the other, as fast as the endpoint answers, so that a long queue is
   * not claimed and put back every second.
   */
  retryInMs(): number {
    const wait = LEAST_WAIT_MS + (this.#turnedAway * (this.#usualMs ?? 0)) / SLOW_MOST
    this.#turnedAway += 1
    return Math.round(Math.min(wait, MOST_WAIT_MS))
  }

  #next(): void {
    while (this.#running < this.#most) {
      const job = this.#waiting.shift()
      if (!job) return
      this.#running += 1
      void job.run().finally(() => {
        this.#running -= 1
        this.#next()
      })
    }
  }
}

/** The queues of all endpoints; one that is forgotten is learnt again by its next requests. */
export class EndpointQueues {
  readonly #options: { readonly most: number; readonly patienceMs: number }
  readonly #byTopic = new Map<string, EndpointQueue>()

  constructor(options: { most: number; patienceMs: number }) {
    this.#options = options
  }

  of(topic: string): EndpointQueue {
    const known = this.#byTopic.get(topic)
    if (known) return known
    if (this.#byTopic.size >= MAX_ENDPOINTS) this.#forgetIdle()
    const queue = new EndpointQueue(this.#options)
    this.#byTopic.set(topic, queue)
    return queue
  }

  #forgetIdle(): void {
    for (const [topic, queue] of this.#byTopic) if (queue.isIdle) this.#byTopic.delete(topic)
  }
}
