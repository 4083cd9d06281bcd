export interface SlotLimits {
  /** Uploads under way in this process. */
  readonly inAll: number
  /** Of them, one organisation's. */
  readonly perOrg: number
}

/**
 * Counts the uploads under way. An organisation may have no more of them than are still free for all
 * others: the fuller it gets, the less is left to those who have much, and never nothing to the rest.
 */
export class UploadSlots {
  readonly #limits: SlotLimits
  readonly #underWay = new Map<string, number>()
  #all = 0

  constructor(limits: SlotLimits) {
    this.#limits = limits
  }

  /** Takes a slot, or says what is used up: the organisation's share, or all of them. */
  take(org: string): 'taken' | 'share used up' | 'all used up' {
    const { inAll, perOrg } = this.#limits
    const mine = this.#underWay.get(org) ?? 0
    const free = inAll - this.#all
    if (free <= 0) return mine > 0 ? 'share used up' : 'all used up'
    if (mine >= perOrg || mine >= free) return 'share used up'
    this.#underWay.set(org, mine + 1)
    this.#all += 1
    return 'taken'
  }

  free(org: string): void {
    const left = (this.#underWay.get(org) ?? 1) - 1
    if (left > 0) this.#underWay.set(org, left)
    else this.#underWay.delete(org)
    this.#all -= 1
  }
}

export interface Pace {
  /** The slowest that an upload may be, over each window. */
  readonly minBytesPerSecond: number
  readonly windowMs: number
  /** What an upload that is slower fails with. */
  tooSlow(): Error
}

/**
 * Passes bytes on as long as they come fast enough: a client that sends less in a window than the
 * pace asks for loses the upload. A slow honest client has all the time it needs; one that only holds
 * the connection has not.
 */
export async function* keepPace(
  bytes: AsyncIterable<Uint8Array>,
  pace: Pace,
): AsyncGenerator<Uint8Array> {
  const source = bytes[Symbol.asyncIterator]()
  const wanted = (pace.minBytesPerSecond * pace.windowMs) / 1_000
  const slow = Promise.withResolvers<never>()
  // Between two chunks nothing listens.
  slow.promise.catch(() => undefined)
  let received = 0
  const timer = setInterval(() => {
    if (received < wanted) slow.reject(pace.tooSlow())
    received = 0
  }, pace.windowMs)
  try {
    for (;;) {
      const next = await Promise.race([source.next(), slow.promise])
      if (next.done === true) return
      received += next.value.byteLength
      yield next.value
    }
  } finally {
    clearInterval(timer)
    // Not awaited: a source that waits for its client ends only once that has sent something.
    void source.return?.()?.catch(() => undefined)
  }
}

/** What comes before the bytes, such as the head of a form, has one window. */
export async function inTime<Value>(work: Promise<Value>, pace: Pace): Promise<Value> {
  const slow = Promise.withResolvers<never>()
  const timer = setTimeout(() => slow.reject(pace.tooSlow()), pace.windowMs)
  try {
    return await Promise.race([work, slow.promise])
  } finally {
    clearTimeout(timer)
    // It may fail later, when no one waits for it any more.
    work.catch(() => undefined)
  }
}
