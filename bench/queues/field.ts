import type { Contestant, EnqueueContestant, LatencyContestant } from './contestant.ts'
import {
  graphileWorker,
  graphileWorkerEnqueue,
  graphileWorkerLargeFetches,
  graphileWorkerLatency,
  graphileWorkerNamedQueues,
} from './contestants/graphile-worker.ts'
import { pgBoss, pgBossEnqueue, pgBossLatency } from './contestants/pg-boss.ts'
import {
  pgTransactionalOutbox,
  pgTransactionalOutboxEnqueue,
} from './contestants/pg-transactional-outbox.ts'
import { posthorn, posthornEnqueue, posthornLatency, posthornSlow } from './contestants/posthorn.ts'
import { posthornSlowSagas, posthornSlowWebhooks } from './contestants/posthorn-slow.ts'
import {
  plainClaimAndMark,
  plainEnqueue,
  plainLog,
  plainMarkOnly,
} from './contestants/plain-sql.ts'
import { pgmqStatements, plainDelete } from './contestants/plain-queue.ts'
import type { Options } from '../kit/options.ts'

/** Who takes part in what. */
export interface Field<T> {
  readonly ours: readonly T[]
  readonly peers: readonly T[]
  /** Plain SQL: what the database gives without a library. */
  readonly limits: readonly T[]
}

/** In the order of their turns: each of ours next to its limit, so that both see the same machine. */
export function everyone<T>({ ours, peers, limits }: Field<T>): T[] {
  const pairs = ours.flatMap((one, i) => [one, ...limits.slice(i, i + 1)])
  return [...pairs, ...limits.slice(ours.length), ...peers]
}

const RECORDS = ['none', 'all'] as const
const CLAIMS = ['by row', 'by key'] as const

/** A log keeps no record of what it sends. */
function inLog(inHand: number): Contestant {
  return posthorn({ claims: 'log', record: 'none', inHand })
}

export function drainField({ connections }: Options): Field<Contestant> {
  return {
    ours: RECORDS.flatMap((record) =>
      CLAIMS.map((claims) => posthorn({ claims, record, inHand: connections })),
    ).concat(inLog(connections)),
    peers: [
      graphileWorker,
      graphileWorkerLargeFetches,
      graphileWorkerNamedQueues,
      pgBoss,
      pgTransactionalOutbox,
    ],
    limits: [
      ...RECORDS.flatMap((record) => [
        plainClaimAndMark({ connections, record }),
        plainMarkOnly({ connections, record }),
      ]),
      plainLog({ connections, record: 'none' }),
      plainDelete(connections),
      pgmqStatements(connections),
    ],
  }
}

/** Those that are fast enough for a large backlog, without records. */
export function enduranceField({ connections }: Options): Field<Contestant> {
  const form = { connections, record: 'none' } as const
  return {
    ours: [
      ...CLAIMS.map((claims) => posthorn({ claims, record: 'none', inHand: connections })),
      inLog(connections),
    ],
    peers: [graphileWorker, pgBoss],
    limits: [plainClaimAndMark(form), plainMarkOnly(form)],
  }
}

export const latencyField: Field<LatencyContestant> = {
  ours: [...CLAIMS, 'log' as const].flatMap((claims) =>
    (['own', 'borrowed'] as const).map((kind) => posthornLatency(claims, kind)),
  ),
  peers: [graphileWorkerLatency(500), graphileWorkerLatency(0), pgBossLatency()],
  limits: [],
}

/** Everyone may handle `atOnce` messages at once. */
export function slowField(atOnce: number): Field<LatencyContestant> {
  return {
    ours: [
      ...[...CLAIMS, 'log' as const].map((claims) => posthornSlow(claims, atOnce)),
      posthornSlowSagas,
      posthornSlowWebhooks(atOnce),
    ],
    peers: [
      graphileWorkerLatency(0, atOnce),
      pgBossLatency({ batchSize: 1, localConcurrency: atOnce }),
    ],
    limits: [],
  }
}

export const enqueueField: Field<EnqueueContestant> = {
  ours: [...CLAIMS, 'log' as const].map(posthornEnqueue),
  peers: [graphileWorkerEnqueue, pgBossEnqueue, pgTransactionalOutboxEnqueue],
  limits: [plainEnqueue('in a transaction'), plainEnqueue('autocommit')],
}
