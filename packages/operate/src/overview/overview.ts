import type { Outbox, Queryable } from '@posthorn/engine'
import { readConsumers, type ConsumerOverview } from './consumers.ts'
import { listPaused, type Paused, outboxStats, type OutboxStats } from '@posthorn/engine/internal'
import { selectSurroundings, type SurroundingsRow } from './overview.sql.ts'

/** A relay that was heard of in the last 15 s. */
export interface AliveRelay {
  readonly name: string
  readonly startedAt: Date
  readonly seenAt: Date
}

/** A destination that a relay does not try at the moment, as of the relay's last heartbeat. */
export interface BreakerState {
  /** `transport:topic`. */
  readonly destination: string
  readonly relay: string
  readonly openSince: Date
  /** When it lets the next attempt through; undefined where the relay does not say so. */
  readonly nextProbeAt: Date | undefined
  /** The last failure before it. */
  readonly cause: { readonly code: string; readonly message: string } | undefined
}

/** An outbox and everything around it that may need a person. */
export interface OutboxOverview extends OutboxStats {
  /** At the rate of the last minute, until what is due is gone; undefined if nothing moves. */
  readonly drainSeconds: number | undefined
  readonly openAlerts: number
  readonly alive: readonly AliveRelay[]
  readonly breakers: readonly BreakerState[]
  readonly pause: Paused | undefined
}

export interface Overview {
  readonly at: Date
  /** The business clock; ahead of the real one in development only. */
  readonly clock: { readonly now: Date; readonly aheadSeconds: number }
  readonly outboxes: readonly OutboxOverview[]
  /** Consumer groups whose lag is sampled or that have something set aside. */
  readonly consumers: readonly ConsumerOverview[]
  /** Open alerts by their source, those that are no outbox's included. */
  readonly alerts: Readonly<Record<string, number>>
  /** Since when the oldest of them is open; undefined if there is none. */
  readonly alertsSince: Date | undefined
}

/** All outboxes at once, cheap enough to be asked every few seconds. */
export async function readOverview(
  db: Queryable,
  // oxlint-disable-next-line typescript/no-explicit-any -- outboxes of all row types stand side by side
  outboxes: readonly Outbox<any>[],
): Promise<Overview> {
  const [stats, surroundings, pauses, consumers] = await Promise.all([
    Promise.all(outboxes.map((outbox) => outboxStats(db, outbox))),
    db.query<SurroundingsRow>(selectSurroundings),
    listPaused(db),
    readConsumers(db),
  ])
  const [around] = surroundings.rows
  if (!around) throw new TypeError('the statement has one row')
  const paused = new Map(pauses.map((pause) => [pause.outbox, pause]))
  return {
    at: around.now,
    clock: {
      now: around.business_now,
      aheadSeconds: Math.round((around.business_now.getTime() - around.now.getTime()) / 1_000),
    },
    outboxes: stats.map((each) => overviewOf(each, around, paused.get(each.name))),
    consumers,
    alerts: around.alerts,
    alertsSince: around.alerts_since ?? undefined,
  }
}

function overviewOf(
  stats: OutboxStats,
  around: SurroundingsRow,
  pause: Paused | undefined,
): OutboxOverview {
  const relays = around.relays.filter(({ outbox }) => outbox === stats.name)
  return {
    ...stats,
    drainSeconds: drainSeconds(stats),
    openAlerts: around.alerts[stats.name] ?? 0,
    alive: relays.map((relay) => ({
      name: relay.relay,
      startedAt: new Date(relay.started_at),
      seenAt: new Date(relay.seen_at),
    })),
    breakers: relays.flatMap(({ relay, seen_at: seenAt, breakers }) =>
      breakers.map(({ destination, openMs, probeMs, cause }) => ({
        destination,
        relay,
        openSince: new Date(Date.parse(seenAt) - openMs),
        nextProbeAt: probeMs === undefined ? undefined : new Date(Date.parse(seenAt) + probeMs),
        cause,
      })),
    ),
    pause,
  }
}

function drainSeconds({ due, perSecond }: OutboxStats): number | undefined {
  if (due === 0) return 0
  return perSecond === 0 ? undefined : due / perSecond
}
