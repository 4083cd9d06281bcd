/** What a ring says: `ring` means committed rows are there, `arm` means they may appear soon. */
export type Ring = 'ring' | 'arm'

/** Buckets of keys that a ring is for; undefined where anything may have changed. */
export type Buckets = ReadonlySet<number> | undefined

/**
 * Tells the relays and notifiers of this process that an outbox has something new. It may be lost: the
 * relay's slow poll alone is enough.
 */
export interface Bell {
  ring(buckets?: Buckets): void
  arm(): void
  /** Returns the function that stops listening. */
  listen(heard: (ring: Ring, buckets?: Buckets) => void): () => void
}

export function createBell(): Bell {
  const listeners = new Set<(ring: Ring, buckets?: Buckets) => void>()
  return {
    ring: (buckets) => listeners.forEach((heard) => heard('ring', buckets)),
    arm: () => listeners.forEach((heard) => heard('arm')),
    listen(heard) {
      listeners.add(heard)
      return () => void listeners.delete(heard)
    },
  }
}

/**
 * Rings in all processes with a relay when anything may be due, as when the business clock was moved; and in
 * this one when an operator has asked for something.
 */
export const everyone: Bell = createBell()

/** The bells that a transaction rings at its end, each once, for all buckets that it was asked for. */
export class LateRings {
  readonly #bells = new Map<Bell, Buckets>()

  get isEmpty(): boolean {
    return this.#bells.size === 0
  }

  add(bell: Bell, buckets: Buckets): void {
    const before = this.#bells.get(bell)
    const isAny = buckets === undefined || (this.#bells.has(bell) && before === undefined)
    this.#bells.set(bell, isAny ? undefined : new Set([...(before ?? []), ...buckets]))
  }

  ring(): void {
    this.#bells.forEach((buckets, bell) => bell.ring(buckets))
  }
}
