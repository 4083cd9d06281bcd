import type { ResolvedDefinition } from './resolved-definition.ts'
import {
  acquireBuckets,
  claimFlow,
  claimHeld,
  createBuckets,
  endedRuns,
  endRun,
  releaseBuckets,
  renewBuckets,
  suspectRun,
} from '../sql/bucket.ts'
import {
  claimSuspect,
  claimBatch,
  claimUnconfirmed,
  nextDue,
  putBack,
  renewClaim,
  takeExpired,
} from '../sql/claim.ts'
import { lockSent } from '../sql/confirm.ts'
import {
  blockedKeys,
  freeKeys,
  holdKeys,
  liftKeys,
  markKeys,
  parkTails,
  rescueHeld,
  setAside,
  sweepKeys,
} from '../sql/held.ts'
import { claimLog, endLogRun } from '../sql/log.ts'
import { beginCursors, lockLog, selectStrangers } from '../sql/log-moves.ts'
import { countUnsettled, markSuspects } from '../sql/suspects.ts'
import { prepare, type Prepared } from '../sql/prepared.ts'
import { settle, type Guard, type SettleRole } from '../sql/settle.ts'

/** The SQL of one outbox, written once when it is defined. */
export interface Statements {
  readonly nextDue: Prepared
  readonly claimUnconfirmed: Prepared | undefined
  readonly renewClaim: Prepared
  readonly lockSent: Prepared
  readonly markSuspects: Prepared
  /** Undefined unless keys have a limit. */
  readonly putBack: Prepared | undefined
  readonly countUnsettled: Prepared | undefined
  settle(role: SettleRole, guard: Guard): Prepared
  readonly byRow: {
    readonly claimBatch: Prepared
    readonly claimSuspect: Prepared
    readonly takeExpired: Prepared | undefined
  }
  /** Undefined without an order. */
  readonly byKey: KeyStatements | undefined
  /** Undefined unless messages are kept in a log. */
  readonly log: LogStatements | undefined
}

export interface LogStatements {
  readonly claimLog: Prepared
  readonly endLogRun: Prepared
  readonly selectStrangers: Prepared
  readonly beginCursors: Prepared
  readonly lockLog: Prepared
}

export interface KeyStatements {
  readonly createBuckets: Prepared
  readonly acquireBuckets: Prepared
  readonly renewBuckets: Prepared
  readonly releaseBuckets: Prepared
  readonly endRun: Prepared
  readonly endedRuns: Prepared
  readonly claimFlow: Prepared
  readonly claimHeld: Prepared
  readonly claimSuspect: Prepared
  readonly suspectRun: Prepared
  readonly holdKeys: Prepared
  readonly setAside: Prepared
  readonly freeKeys: Prepared
  readonly markKeys: Prepared
  readonly parkTails: Prepared | undefined
  readonly rescueHeld: Prepared
  readonly sweepKeys: Prepared
  readonly blockedKeys: Prepared
  readonly liftKeys: Prepared
}

export function statementsOf(definition: ResolvedDefinition): Statements {
  const settles = new Map<string, Prepared>()
  return {
    nextDue: nextDue(definition),
    claimUnconfirmed: claimUnconfirmed(definition),
    renewClaim: renewClaim(definition),
    lockSent: lockSent(definition),
    markSuspects: markSuspects(definition),
    putBack: definition.limit?.by === undefined ? undefined : putBack(definition),
    countUnsettled: countUnsettled(definition),
    settle(role, guard) {
      const known = settles.get(`${role} ${guard}`) ?? settle(definition, role, guard)
      settles.set(`${role} ${guard}`, known)
      return known
    },
    byRow: {
      claimBatch: claimBatch(definition),
      claimSuspect: claimSuspect(definition),
      takeExpired: takeExpired(definition),
    },
    byKey: definition.order && {
      createBuckets: createBuckets(definition),
      acquireBuckets: acquireBuckets(definition),
      renewBuckets: renewBuckets(definition),
      releaseBuckets: releaseBuckets(definition),
      endRun: prepare((p) => endRun(definition, p)),
      endedRuns: endedRuns(definition),
      claimFlow: claimFlow(definition),
      claimHeld: claimHeld(definition, 'held'),
      claimSuspect: claimHeld(definition, 'suspect'),
      suspectRun: suspectRun(definition),
      holdKeys: holdKeys(definition),
      setAside: setAside(definition),
      freeKeys: freeKeys(definition),
      markKeys: markKeys(definition),
      parkTails: parkTails(definition),
      rescueHeld: rescueHeld(definition),
      sweepKeys: sweepKeys(definition),
      blockedKeys: blockedKeys(definition),
      liftKeys: liftKeys(definition),
    },
    log:
      definition.log === undefined
        ? undefined
        : {
            claimLog: claimLog(definition),
            endLogRun: endLogRun(definition),
            selectStrangers: selectStrangers(definition),
            beginCursors: beginCursors(definition),
            lockLog: lockLog(definition),
          },
  }
}
