import type { IdType } from '../outbox/id-type.ts'
import type { OutboxRow } from '../outbox/resolved-definition.ts'

/** In a backlog, a claim begins at the very front at least this often, */
const FRONT_MS = 1_000
/** unless such claims are slow themselves: they get one part in so many of the time. */
const FRONT_SHARE = 10

const LOWEST: Record<IdType, string> = {
  uuid: '00000000-0000-0000-0000-000000000000',
  bigint: '-9223372036854775808',
  text: '',
}

/** A place in the order of due time and id. */
export interface Floor {
  readonly floorDue: string
  readonly floorId: string
}

/**
 * Where a claim by row begins. The index keeps the entries of settled messages until a vacuum comes, and a
 * transaction held open elsewhere keeps vacuum away: every claim would walk over all of them again. So in a
 * backlog a claim goes on where the last full one ended.
 *
 * That hides nothing for long: what commits late, is dated back or comes back below the floor is found by a
 * claim from the front, which comes every second, and whenever a claim is not full.
 */
export class DueFloor {
  readonly #front: Floor
  readonly #now: () => number
  #floor: Floor | undefined
  #frontAt = 0

  constructor(idType: IdType, now: () => number = () => performance.now()) {
    this.#front = { floorDue: '-infinity', floorId: LOWEST[idType] }
    this.#now = now
  }

  /** Where the next claim begins. */
  next(): Floor {
    return this.#floor !== undefined && this.#now() < this.#frontAt ? this.#floor : this.#front
  }

  isFront(floor: Floor): boolean {
    return floor === this.#front
  }

  /** Learns from a claim that began at `from`, and took so long. */
  learn(
    from: Floor,
    { rows, isFull, ms }: { rows: OutboxRow[]; isFull: boolean; ms: number },
  ): void {
    if (this.isFront(from)) this.#frontAt = this.#now() + Math.max(FRONT_MS, FRONT_SHARE * ms)
    const upto = isFull ? rows[0]?.['claim_upto'] : undefined
    if (typeof upto !== 'string') return void (this.#floor = undefined)
    const at = upto.indexOf('|')
    this.#floor = { floorDue: upto.slice(0, at), floorId: upto.slice(at + 1) }
  }
}
