import type { Buckets } from '../../database/bell.ts'
import type { Claim, ClaimKind } from './claim.ts'
import type { Settlement } from './settlement.ts'
import type { Unsettled } from './settle-apart.ts'

/** What became of a claim that was settled in parts. */
export interface SettledApart {
  /** Ids that were no longer ours. */
  readonly lost: string[]
  readonly unsettled: readonly Unsettled[]
}

/**
 * Where a relay gets its claims: row by row, or bucket by bucket for ordered outboxes. The lanes
 * above it do not know which.
 */
export interface Source {
  /** Takes what is there of a kind; undefined when there is nothing. `batch` limits it further. */
  claim(kind: ClaimKind, batch?: number): Promise<Claim | undefined>
  /** Something was enqueued: in these buckets, or anywhere. */
  hear?(buckets: Buckets): void
  /** Keeps a claim alive for another lease, or for `ms`; false when it is lost. */
  renew(claim: Claim, ms?: number): Promise<boolean>
  /** Which of the claim's rows may be attempted now. */
  attemptable(claim: Claim): readonly number[]
  /** Writes down what became of a claim. Returns the ids that were no longer ours. */
  settle(claim: Claim, settlements: readonly Settlement[]): Promise<string[]>
  /**
   * The same for a claim that could not be settled as a whole: settles what can be, and leaves the rest
   * to be claimed again, each message alone.
   */
  settleApart(claim: Claim, settlements: readonly Settlement[]): Promise<SettledApart>
  /** Settles what could not be settled because another transaction had its row locked, if it is time. */
  settleLate?(): Promise<void>
  /** Forgets a claim that could not be settled; its lease will run out. */
  drop(claim: Claim): void
  /** Regular maintenance between claims: leases, shares, strays. True when there may be more to claim now. */
  maintain(): Promise<boolean>
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
