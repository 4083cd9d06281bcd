import type { Outbox } from '../outbox/define.ts'
import {
  acquireBuckets,
  claimFlow,
  claimHeld,
  createBuckets,
  endRun,
  releaseBuckets,
  renewBuckets,
  suspectRun,
} from './bucket.ts'
import {
  claimAlone,
  claimBatch,
  claimUnconfirmed,
  nextDue,
  renewClaim,
  takeExpired,
} from './claim.ts'
import { lockSent } from './confirm.ts'
import { freeKeys, holdKeys, parkTails, rescueHeld, setAside, sweepKeys } from './held.ts'
import type { Prepared } from './prepared.ts'
import type { Guard, SettleRole } from './settle.ts'
import { settle } from './settle.ts'

/** A checked definition before its statements are written. */
export type Shape = Omit<Outbox, 'statements' | 'bell' | 'destination' | 'message' | 'audit'> & {
  readonly audit: Pick<Outbox['audit'], 'record' | 'actor'>
}

/** The SQL of one outbox, written once when it is defined. */
export interface Statements {
  readonly nextDue: Prepared
  readonly claimUnconfirmed: Prepared | undefined
  readonly renewClaim: Prepared
  readonly lockSent: Prepared
  settle(role: SettleRole, guard: Guard): Prepared
  readonly byRow: {
    readonly claimBatch: Prepared
    readonly claimAlone: Prepared
    readonly takeExpired: Prepared | undefined
  }
  /** Undefined without an order. */
  readonly byKey: KeyStatements | undefined
}

export interface KeyStatements {
  readonly createBuckets: Prepared
  readonly acquireBuckets: Prepared
  readonly renewBuckets: Prepared
  readonly releaseBuckets: Prepared
  readonly endRun: Prepared
  readonly claimFlow: Prepared
  readonly claimHeld: Prepared
  readonly suspectRun: Prepared
  readonly holdKeys: Prepared
  readonly setAside: Prepared
  readonly freeKeys: Prepared
  readonly parkTails: Prepared | undefined
  readonly rescueHeld: Prepared
  readonly sweepKeys: Prepared
}

export function statementsOf(shape: Shape): Statements {
  const settles = new Map<string, Prepared>()
  return {
    nextDue: nextDue(shape),
    claimUnconfirmed: claimUnconfirmed(shape),
    renewClaim: renewClaim(shape),
    lockSent: lockSent(shape),
    settle(role, guard) {
      const known = settles.get(`${role} ${guard}`) ?? settle(shape, role, guard)
      settles.set(`${role} ${guard}`, known)
      return known
    },
    byRow: {
      claimBatch: claimBatch(shape),
      claimAlone: claimAlone(shape),
      takeExpired: takeExpired(shape),
    },
    byKey: shape.order && {
      createBuckets: createBuckets(shape),
      acquireBuckets: acquireBuckets(shape),
      renewBuckets: renewBuckets(shape),
      releaseBuckets: releaseBuckets(shape),
      endRun: endRun(shape),
      claimFlow: claimFlow(shape),
      claimHeld: claimHeld(shape),
      suspectRun: suspectRun(shape),
      holdKeys: holdKeys(shape),
      setAside: setAside(shape),
      freeKeys: freeKeys(shape),
      parkTails: parkTails(shape),
      rescueHeld: rescueHeld(shape),
      sweepKeys: sweepKeys(shape),
    },
  }
}
