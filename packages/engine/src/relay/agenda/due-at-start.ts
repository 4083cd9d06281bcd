import { run, type PoolHandle } from '../../database/pool-handle.ts'
import type { Outbox } from '../../outbox/define.ts'
import type { OutboxRow } from '../../outbox/resolved-definition.ts'
import { idOf } from '../settle/settlement.ts'
import { dueStatements } from './due-at-start.sql.ts'

/** Looks in a row that may find only messages that became due since: more urgent ones go first. */
const MOST_VAIN_LOOKS = 10

/**
 * The messages that are due when a run begins, and which of them were claimed since. What handlers enqueue
 * meanwhile is no reason to look again, or one call could go on without end.
 */
export class DueAtStart {
  readonly #outbox: Outbox
  readonly #waiting: Set<string>
  readonly #seen = new Set<string>()
  #before = { waiting: 0, seen: 0 }
  #vainLooks = 0

  private constructor(outbox: Outbox, waiting: Set<string>) {
    this.#outbox = outbox
    this.#waiting = waiting
    this.#before = { waiting: waiting.size, seen: 0 }
  }

  static async of(handle: PoolHandle, outbox: Outbox): Promise<DueAtStart> {
    const rows = await run<{ id: string }>(handle.db, dueStatements(outbox).selectDue, {})
    return new DueAtStart(outbox, new Set(rows.map(({ id }) => id)))
  }

  /** Notes what was claimed. */
  note(rows: readonly OutboxRow[]): void {
    for (const row of rows) {
      const id = idOf(this.#outbox, row)
      this.#seen.add(id)
      this.#waiting.delete(id)
    }
  }

  /** Whether another look may find more of what was due; asked after each look. */
  mayFindMore(): boolean {
    const { waiting, seen } = this.#before
    this.#before = { waiting: this.#waiting.size, seen: this.#seen.size }
    this.#vainLooks = this.#waiting.size < waiting ? 0 : this.#vainLooks + 1
    if (this.#waiting.size === 0 || this.#seen.size === seen) return false
    return this.#vainLooks < MOST_VAIN_LOOKS
  }
}
