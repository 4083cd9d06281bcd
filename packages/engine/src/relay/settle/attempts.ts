import type { Outbox } from '../../outbox/define.ts'
import type { OutboxRow } from '../../outbox/resolved-definition.ts'
import type { Settlement } from './settlement.ts'

/** What becomes of the messages of one claim, one after the other. */
export class Attempts {
  readonly rows: readonly OutboxRow[]
  readonly #key: string | undefined
  readonly #made: (Settlement | undefined)[]
  readonly #open: Set<number>
  #news = Promise.withResolvers<void>()
  #failure: { readonly error: unknown } | undefined

  constructor({ order }: Outbox, rows: readonly OutboxRow[]) {
    this.rows = rows
    this.#key = order?.key
    this.#made = Array.from({ length: rows.length })
    this.#open = new Set(rows.keys())
  }

  end(at: number, settlement: Settlement): void {
    this.#made[at] = settlement
    this.#news.resolve()
  }

  /** No more of them will end. */
  fail(error: unknown): void {
    this.#failure = { error }
    this.#news.resolve()
  }

  /** Resolves when a message has ended since `take`. */
  async news(): Promise<void> {
    await this.#news.promise
    if (this.#failure) throw this.#failure.error
  }

  /**
   * What has ended and was not taken before, in the order of the rows. A message that did not go through
   * decides for the rest of its key: it is taken when all of them have ended.
   */
  take(): Settlement[] {
    if (!this.#failure) this.#news = Promise.withResolvers()
    const waiting = this.#waitingKeys()
    const taken: Settlement[] = []
    for (const at of [...this.#open]) {
      const made = this.#made[at]
      if (!made) continue
      if (made.decision.role !== 'sent' && waiting.has(this.#keyAt(at))) continue
      this.#open.delete(at)
      taken.push(made)
    }
    return taken
  }

  /** What was not taken. */
  get open(): OutboxRow[] {
    return [...this.#open].map((at) => this.rows[at] as OutboxRow)
  }

  get all(): Settlement[] {
    return this.#made.filter((made) => made !== undefined)
  }

  #waitingKeys(): ReadonlySet<unknown> {
    if (this.#key === undefined) return new Set()
    return new Set([...this.#open].filter((at) => !this.#made[at]).map((at) => this.#keyAt(at)))
  }

  #keyAt(at: number): unknown {
    return this.#key === undefined ? undefined : this.rows[at]?.[this.#key]
  }
}
