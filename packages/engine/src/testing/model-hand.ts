import type { Pool } from 'pg'
import { poolHandle, type PoolHandle } from '../database/pool-handle.ts'
import { delivered, refused, retryLater, type Outcome } from '../outbox/outcome.ts'
import type { Queryable } from '../database/transaction.ts'
import type { Attempts } from '../relay/settle/attempts.ts'
import type { Claim } from '../relay/settle/claim.ts'
import type { Settlement } from '../relay/settle/settlement.ts'

/** A claim in the hand of one of the model's relays. */
export interface InHand {
  readonly claim: Claim
  /** Undefined until it was attempted. */
  attempts: Attempts | undefined
  /** What has ended since it was settled last; undefined where nothing was attempted since. */
  ended: Settlement[] | undefined
  /** Times that this was settled, and the answer got lost. */
  tries: number
  /** It was settled without its slow messages. */
  isSplit: boolean
  /** True once its lease has run out: another relay may own the messages now. */
  zombie: boolean
  /** Messages that are its own as long as the lease holds. */
  owned: Set<string>
}

/** As `pg` says it of a connection that broke. */
export class LostAnswer extends Error {}

/** A handle where the answer of the next commit gets lost, if the test says so. */
export class LosingHandle implements PoolHandle {
  loses = false
  readonly #handle: PoolHandle
  readonly db: Queryable

  constructor(pool: Pool) {
    this.#handle = poolHandle(pool, { prepare: true })
    this.db = { query: (statement) => this.#lose(this.#handle.db.query(statement)) }
  }

  readonly transaction: PoolHandle['transaction'] = (work) =>
    this.#lose(this.#handle.transaction(work))

  readonly onLost: PoolHandle['onLost'] = (lost) => this.#handle.onLost(lost)

  async #lose<Answer>(answer: Promise<Answer>): Promise<Answer> {
    const given = await answer
    if (!this.loses) return given
    this.loses = false
    throw new LostAnswer('Connection terminated unexpectedly')
  }
}

/** A slow message's outcome waits for a claim that has its bucket in hand. */
export function mayBeSettled({ ended, isSplit }: InHand, all: readonly InHand[]): boolean {
  if (!ended || !isSplit) return ended !== undefined
  const buckets = new Set(ended.map(({ row }) => Number(row['bucket'])))
  const running = all.filter((other) => !other.isSplit).flatMap(({ claim }) => claim.leases)
  return !running.some(({ bucket }) => buckets.has(bucket))
}

export function outcomeOf(fails: boolean, refusing: boolean): Outcome {
  if (!fails) return delivered()
  return refusing ? refused('no') : retryLater('later')
}
