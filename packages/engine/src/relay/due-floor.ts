import type { IdType } from '../outbox/id-type.ts'
import type { OutboxRow } from '../outbox/resolved-definition.ts'

/** In a backlog, a claim begins at the very front at least this often, */
const FRONT_MS = 1_000
/** unless such claims are slow themselves: they get one part in so many of the time. */
const FRONT_SHARE = 10

/** A claim from the front that took longer, although it was not full, has walked over much that is settled. */
const SLOW_MS = 5
/** How much later than due a message may commit and is still found by claims that do not begin at the front. */
const LATE_MS = 1_000

const LOWEST: Record<IdType, string> = {
  uuid: '00000000-0000-0000-0000-000000000000',
  bigint: '-9223372036854775808',
  text: '',
}

/** A place in the order of due time and id, and how far before it a claim begins. */
export interface Floor {
  readonly floorDue: string
  readonly floorId: string
  readonly floorLateMs: number
}

/**
 * Where a claim by row begins. The index keeps the entries of settled messages until a vacuum comes, and a
 * transaction held open elsewhere keeps vacuum away: every claim would walk over all of them again. So in a
 * backlog a claim goes on where the last full one ended. In a flow, where messages come one by one, claims
 * begin a second before the last one's due time as long as those from the front are slow.
 *
 * That hides nothing for long: what commits late, is dated back or comes back below the floor is found by a
 * claim from the front. In a backlog it comes every second, and whenever a claim is not full; in a flow it is
 * owed, and comes after ten times as long as the last one took.
 */
export class DueFloor {
  readonly #front: Floor
  readonly #now: () => number
  #floor: Floor | undefined
  #frontAt = 0
  /** Since when a look at the front is owed. */
  #owedSince: number | undefined

  constructor(idType: IdType, now: () => number = () => performance.now()) {
    this.#front = { floorDue: '-infinity', floorId: LOWEST[idType], floorLateMs: 0 }
    this.#now = now
  }

  /** Where the next claim begins. */
  next(): Floor {
    return this.#floor !== undefined && this.#now() < this.#frontAt ? this.#floor : this.#front
  }

  isFront(floor: Floor): boolean {
    return floor === this.#front
  }

  /** Milliseconds until a claim from the front has to be made, even if nothing rings. */
  owedMs(): number | undefined {
    if (this.#owedSince === undefined) return undefined
    return Math.max(this.#frontAt - this.#now(), 0)
  }

  /** The next claim begins at the front. */
  reset(): void {
    this.#floor = undefined
  }

  /** Learns from a claim that began at `from`, and took so long. */
  learn(
    from: Floor,
    { rows, isFull, ms }: { rows: OutboxRow[]; isFull: boolean; ms: number },
  ): void {
    const isFront = this.isFront(from)
    if (isFront) {
      this.#frontAt = this.#now() + Math.max(isFull ? FRONT_MS : 0, FRONT_SHARE * ms)
    }
    const upto = placeOf(rows)
    if (isFull) this.#floor = upto && { ...upto, floorLateMs: 0 }
    // Behind a backlog, or where it costs nothing: from the front again.
    else if (isFront ? ms <= SLOW_MS : from.floorLateMs === 0) this.#floor = undefined
    else if (upto) this.#floor = { ...upto, floorId: this.#front.floorId, floorLateMs: LATE_MS }
    const now = this.#now()
    if (!isFront) this.#owedSince = this.#floor !== undefined && !isFull ? now : undefined
    // A look that another lane began before does not see what was left out since.
    else if (this.#owedSince !== undefined && this.#owedSince <= now - ms) {
      this.#owedSince = undefined
    }
  }
}

/** The last message of a claim in the order of the index; none where nothing was claimed. */
function placeOf(rows: readonly OutboxRow[]): Pick<Floor, 'floorDue' | 'floorId'> | undefined {
  const upto = rows[0]?.['claim_upto']
  if (typeof upto !== 'string') return undefined
  const at = upto.indexOf('|')
  return { floorDue: upto.slice(0, at), floorId: upto.slice(at + 1) }
}
