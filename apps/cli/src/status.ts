import { listPaused, openAlerts, outboxStats, type OutboxStats } from '@posthorn/engine/operate'
import type { Session } from './session.ts'

/** One outbox at one moment. */
export interface OutboxStatus extends OutboxStats {
  /** The table's word for messages that are not tried again; null if it has none. */
  readonly deadState: string | null
  readonly pausedBy: string | null
  readonly pausedAt: Date | null
  readonly pauseReason: string | null
  readonly alertsOpen: number
}

/** All that `posthorn status` shows, as `--json` prints it. */
export interface Status {
  readonly at: Date
  readonly database: string
  readonly outboxes: readonly OutboxStatus[]
  /** Open alerts by their source; a source need not be an outbox. */
  readonly alertsOpen: Readonly<Record<string, number>>
}

export async function readStatus({ db, outboxes, where }: Session): Promise<Status> {
  const [pauses, alertsOpen, ...stats] = await Promise.all([
    listPaused(db),
    openAlerts(db),
    ...[...outboxes.values()].map((outbox) => outboxStats(db, outbox)),
  ])
  return {
    at: new Date(),
    database: where,
    alertsOpen,
    outboxes: stats.map((each) => {
      const pause = pauses.find(({ outbox }) => outbox === each.name)
      const dead = outboxes.get(each.name)?.states.dead
      return {
        ...each,
        deadState: dead === undefined ? null : String(dead),
        pausedBy: pause?.pausedBy ?? null,
        pausedAt: pause?.pausedAt ?? null,
        pauseReason: pause?.reason ?? null,
        alertsOpen: alertsOpen[each.name] ?? 0,
      }
    }),
  }
}
