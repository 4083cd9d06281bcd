/** What one number may send: a bucket that holds a second's worth and fills steadily. */
export class Throughput {
  readonly #now: () => number
  readonly #buckets = new Map<string, { tokens: number; at: number }>()
  readonly #seconds = new Map<string, { second: number; count: number }>()
  #busiest = 0

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** The most that any number was let send within one second of the clock. */
  get busiest(): number {
    return this.#busiest
  }

  /** Whether one more may go; `perSecond` 0 lets everything go. */
  take(phoneNumberId: string, perSecond: number): boolean {
    const now = this.#now()
    const may = perSecond === 0 || this.#hasToken(phoneNumberId, { now, perSecond })
    if (may) this.#count(phoneNumberId, Math.floor(now / 1_000))
    return may
  }

  #hasToken(
    phoneNumberId: string,
    { now, perSecond }: { now: number; perSecond: number },
  ): boolean {
    const bucket = this.#buckets.get(phoneNumberId) ?? { tokens: perSecond, at: now }
    const gained = ((now - bucket.at) / 1_000) * perSecond
    const tokens = Math.min(perSecond, bucket.tokens + gained)
    const may = tokens >= 1
    this.#buckets.set(phoneNumberId, { tokens: may ? tokens - 1 : tokens, at: now })
    return may
  }

  #count(phoneNumberId: string, second: number): void {
    const known = this.#seconds.get(phoneNumberId)
    const count = known?.second === second ? known.count + 1 : 1
    this.#seconds.set(phoneNumberId, { second, count })
    this.#busiest = Math.max(this.#busiest, count)
  }

  forget(): void {
    this.#seconds.clear()
    this.#busiest = 0
    this.#buckets.clear()
  }
}
