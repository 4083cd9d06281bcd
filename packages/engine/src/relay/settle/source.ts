import type { Buckets } from '../../database/bell.ts'
import type { OutboxRow } from '../../outbox/resolved-definition.ts'
import type { Claim, ClaimKind } from './claim.ts'
import type { Settlement } from './settlement.ts'
import type { Unsettled } from './settle-apart.ts'

/** What is settled of a claim. */
export interface SettlePart {
  /** Messages that are still being delivered, and settled later. */
  readonly open?: readonly OutboxRow[]
  /** It could not be settled as a whole: each message is settled if it can be. */
  readonly isApart?: boolean
}

/** What became of it. */
export interface SettledApart {
  /** Ids that were no longer ours. */
  readonly lost: string[]
  readonly unsettled: readonly Unsettled[]
}

/** What is seen to; by default all. */
export interface Maintenance {
  /** Asks what the relay's share of the buckets is, even where it seems to have it. */
  readonly divide?: boolean
  /** Brings back what was changed past the engine. */
  readonly repair?: boolean
}

/**
 * Where a relay gets its claims: row by row, or bucket by bucket for ordered outboxes. The flow
 * above it does not know which.
 */
export interface Source {
  /**
   * Takes what is there of a kind; undefined when there is nothing. `batch` limits it further, and nothing
   * is taken of those that `fullKeys` names.
   */
  claim(kind: ClaimKind, batch?: number, fullKeys?: readonly string[]): Promise<Claim | undefined>
  /** Something was enqueued: in these buckets, or anywhere. */
  hear?(buckets: Buckets): void
  /** Whether what was enqueued into these buckets is, or may be, for another relay. */
  isElsewhere?(buckets: Buckets): boolean
  /** Keeps a claim for another lease, or for `ms`; false when it is lost. */
  renew(claim: Claim, ms?: number): Promise<boolean>
  /**
   * Writes down what became of messages of a claim. What cannot be settled apart from the rest is left to be
   * claimed again, each message alone.
   */
  settle(claim: Claim, settlements: readonly Settlement[], part?: SettlePart): Promise<SettledApart>
  /** Settles what could not be settled because another transaction had its row locked, if it is time. */
  settleLate?(): Promise<void>
  /** Forgets a claim that could not be settled; its lease will run out. */
  drop(claim: Claim): void
  /** Takes and gives buckets, and sees to strays. True when there may be more to claim now. */
  maintain(what?: Maintenance): Promise<boolean>
  /**
   * Milliseconds until something is due; undefined when nothing waits. The last claim was that long
   * ago: what has become due since is due now.
   */
  nextDueMs(sinceMs: number): Promise<number | undefined>
  /** Milliseconds until a look at what the last claims left out has to follow; undefined where none has. */
  owedMs?(): number | undefined
  /** The next claim leaves nothing out. */
  lookAtAll?(): void
  /** Gives back what is held. */
  close(): Promise<void>
}
