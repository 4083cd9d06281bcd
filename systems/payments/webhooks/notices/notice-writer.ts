import { enqueueAll, transaction, type Transaction } from '@posthorn/engine'
import type { PeriodicTask } from '@posthorn/engine/operate'
import type { Pool } from 'pg'
import { alertNotices, NOTICES } from './outbox.ts'
import { selectRaised, takeRecovered, type Notable } from './queries.ts'

const LOOK_MS = 5_000

/**
 * Writes notices of new alerts and of those that are over. Any number of these may run: a subject has
 * one notice of a kind in an hour, by its table.
 */
export function noticeWriter(pool: Pool): PeriodicTask {
  return {
    name: NOTICES,
    everyMs: LOOK_MS,
    async step() {
      await writeNotices(pool)
    },
  }
}

/** One look. Returns how many notices were written. */
export function writeNotices(pool: Pool): Promise<number> {
  return transaction(pool, async (tx) => {
    const raised = await enqueueNotices(tx, 'raised', await selectRaised(tx, NOTICES))
    return raised + (await enqueueNotices(tx, 'recovered', await takeRecovered(tx)))
  })
}

async function enqueueNotices(
  tx: Transaction,
  kind: 'raised' | 'recovered',
  alerts: readonly Notable[],
): Promise<number> {
  const enqueued = await enqueueAll(
    tx,
    alertNotices,
    alerts.map((alert) => ({
      alert_id: alert.id,
      kind,
      source: alert.source,
      subject: alert.subject,
      hour: alert.hour,
      payload: bodyOf(kind, alert),
    })),
  )
  return enqueued.filter(({ created }) => created).length
}

function bodyOf(kind: 'raised' | 'recovered', alert: Notable) {
  return {
    type: `alert.${kind}`,
    timestamp: (alert.recovered_at ?? alert.raised_at).toISOString(),
    data: {
      id: alert.id,
      source: alert.source,
      subject: alert.subject,
      org: alert.tenant,
      code: alert.code,
      detail: alert.detail,
      raisedAt: alert.raised_at.toISOString(),
      recoveredAt: alert.recovered_at?.toISOString() ?? null,
    },
  }
}
