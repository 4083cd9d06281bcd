import type { EventRow } from '../event-outbox.ts'
import type { PendingEvent } from '../aggregate-root.ts'

/**
 * A transaction of an ORM, or a savepoint in one, with the events written in it. They stay pending
 * in their aggregates until the outermost one is committed: what is rolled back before that only
 * has to be forgotten here.
 */
export class Frame {
  readonly #around: Frame | undefined
  readonly #written: EventRow[] = []

  constructor(around?: Frame) {
    this.#around = around
  }

  note(events: readonly EventRow[]): void {
    this.#written.push(...events)
  }

  /** Whether this transaction or one around it has written the event. */
  has(event: PendingEvent): boolean {
    return this.#written.some((each) => each.event === event) || (this.#around?.has(event) ?? false)
  }

  /** A savepoint hands its events to the transaction around it; the outermost one clears them. */
  commit(): void {
    if (this.#around) this.#around.note(this.#written)
    else for (const { aggregate, event } of this.#written) aggregate.clearEvents([event])
  }
}
