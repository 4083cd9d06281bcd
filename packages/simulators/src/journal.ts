/** Something that arrived. Numbers grow by one. */
export interface Entry {
  readonly id: number
}

export interface JournalLimits {
  readonly entries: number
  /** All bodies together. */
  readonly bytes: number
}

const LIMITS: JournalLimits = { entries: 10_000, bytes: 32 * 1024 * 1024 }

interface Weight {
  readonly bytes: number
  drop(): void
}

/**
 * The last entries, oldest overwritten first. Bodies have a budget of their own: over it the
 * oldest bodies go, and their entries stay.
 */
export class Journal<Item extends Entry> {
  readonly #limits: JournalLimits
  readonly #slots: Item[] = []
  readonly #weights = new Map<Item, Weight>()
  #bytes = 0
  #nextId = 1
  #size = 0

  constructor(limits: JournalLimits = LIMITS) {
    this.#limits = limits
  }

  get size(): number {
    return this.#size
  }

  add(make: (id: number) => Item): Item {
    const item = make(this.#nextId)
    const slot = this.#slotOf(item.id)
    const overwritten = this.#slots[slot]
    if (overwritten !== undefined) this.#unweigh(overwritten)
    this.#slots[slot] = item
    this.#nextId += 1
    this.#size = Math.min(this.#size + 1, this.#limits.entries)
    return item
  }

  /** Says what a body costs, and how to let it go. Nothing for what is forgotten already. */
  weigh(item: Item, weight: Weight): void {
    if (this.#slots[this.#slotOf(item.id)] !== item) return weight.drop()
    this.#weights.set(item, weight)
    this.#bytes += weight.bytes
    for (const [oldest, { drop }] of this.#weights) {
      if (this.#bytes <= this.#limits.bytes) break
      this.#unweigh(oldest)
      drop()
    }
  }

  /** Newest first; `before` is the id to go on below. */
  *newest(before = this.#nextId): Generator<Item> {
    const first = Math.min(before, this.#nextId) - 1
    const last = this.#nextId - this.#size
    for (let id = first; id >= last; id -= 1) {
      const item = this.#slots[this.#slotOf(id)]
      if (item !== undefined) yield item
    }
  }

  forget(): void {
    this.#slots.length = 0
    this.#weights.clear()
    this.#bytes = 0
    this.#size = 0
  }

  #slotOf(id: number): number {
    return id % this.#limits.entries
  }

  #unweigh(item: Item): void {
    this.#bytes -= this.#weights.get(item)?.bytes ?? 0
    this.#weights.delete(item)
  }
}
