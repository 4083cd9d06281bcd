import type { Prepared } from '../../database/prepared.ts'

/** Messages claimed without a break that make a backlog; any table that has had them is worth an index. */
const BACKLOG = 500

/**
 * Chooses the plan that a claim runs by. Postgres keeps the plan of a prepared statement, and one that was
 * made while the table was known to be empty reads the whole table, however large it is by now. So a claim
 * in the midst of a backlog is prepared under a name of its own: its plan is made when the table is full.
 */
export class BacklogPlan {
  #claimed = 0

  of(prepared: Prepared): Prepared {
    return this.#claimed < BACKLOG ? prepared : { ...prepared, name: `${prepared.name}_backlog` }
  }

  /** Notes how much a claim has found. */
  learn(claimed: number): void {
    this.#claimed = claimed === 0 ? 0 : this.#claimed + claimed
  }
}
