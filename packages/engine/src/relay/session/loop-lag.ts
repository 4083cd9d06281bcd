/** Often enough to see a pause that a request would notice, seldom enough to cost nothing. */
const EVERY_MS = 100

/** What the figure is about. */
const SPAN_MS = 60_000

/** How long the event loop kept timers waiting. */
export class LoopLag {
  #timer: NodeJS.Timeout | undefined
  #expected = 0
  #found: { readonly at: number; readonly ms: number }[] = []

  start(): void {
    this.#expected = performance.now() + EVERY_MS
    this.#timer = setInterval(() => this.#look(), EVERY_MS).unref()
  }

  #look(): void {
    const now = performance.now()
    this.#note(now)
    this.#expected = now + EVERY_MS
  }

  /** Only those that later ones do not exceed: seldom more than a few. */
  #note(at: number): void {
    const ms = at - this.#expected
    while ((this.#found.at(-1)?.ms ?? Infinity) <= ms) this.#found.pop()
    this.#found.push({ at, ms })
    while ((this.#found[0]?.at ?? at) < at - SPAN_MS) this.#found.shift()
  }

  /** The longest of the last minute, in whole milliseconds. */
  get worstMs(): number {
    return Math.max(0, Math.round(this.#found[0]?.ms ?? 0))
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#found = []
  }
}
