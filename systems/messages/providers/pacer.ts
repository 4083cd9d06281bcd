const WINDOW_MS = 1_000

/** Times of a sender's last turns, as many as fit into a second, the oldest at `next`. */
interface Turns {
  readonly at: number[]
  next: number
}

/**
 * Lets a sender have so many turns in any second, so that its provider's limit is not run into. For
 * this process alone: several share a limit by being given a part of it each.
 */
export class Pacer {
  readonly #perSecond: number
  readonly #mostMs: number
  readonly #now: () => number
  readonly #senders = new Map<string, Turns>()

  /** `perSecond` 0 paces nothing; no message is given a slot that is further away than `mostMs`. */
  constructor(
    { perSecond, mostMs }: { perSecond: number; mostMs: number },
    now: () => number = () => performance.now(),
  ) {
    this.#perSecond = perSecond
    this.#mostMs = mostMs
    this.#now = now
  }

  /** Takes the sender's next turn: how long until then, and whether it was too far away to take. */
  turn(sender: string): { readonly waitMs: number; readonly taken: boolean } {
    if (this.#perSecond === 0) return { waitMs: 0, taken: true }
    const now = this.#now()
    const turns = this.#senders.get(sender) ?? { at: [], next: 0 }
    this.#senders.set(sender, turns)
    // By the window, not by even spacing: what a sender leaves unused it may make up for.
    const at = Math.max(now, (turns.at[turns.next] ?? -Infinity) + WINDOW_MS)
    if (at - now > this.#mostMs) return { waitMs: at - now, taken: false }
    turns.at[turns.next] = at
    turns.next = (turns.next + 1) % this.#perSecond
    return { waitMs: at - now, taken: true }
  }
}
