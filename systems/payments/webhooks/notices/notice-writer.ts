import {
  enqueueAll,
  transaction,
  defineOutbox,
  schedule,
  type Transaction,
  type Outbox,
} from '@posthorn/engine'
import type { PeriodicTask } from '@posthorn/operate'
import type { Pool } from 'pg'
import { selectRaised, takeRecovered, type Notable } from './queries.ts'

/** A notice as it stands in its table. */
interface AlertNotice {
  id: string
  alert_id: string
  kind: 'raised' | 'recovered'
  source: string
  subject: string
  hour: Date
  payload: unknown
  closed: boolean
  status: 'pending' | 'failed' | 'delivered' | 'abandoned'
  attempts: number
  next_attempt_at: Date
  error: string | null
  error_code: string | null
  created_at: Date
  sent_at: Date | null
}

const NOTICES = 'payments.alert-notices'

/** Name under which the relay finds the transport of notices. */
export const TRANSPORT = 'alert-notices'

/** Notices to the operator's alert webhook, which may be down for a while. */
export const alertNotices: Outbox<AlertNotice> = defineOutbox<AlertNotice>({
  name: NOTICES,
  table: 'payments.alert_notices',
  states: { ready: 'pending', sent: 'delivered', retry: 'failed', dead: 'abandoned' },
  columns: {
    dueAt: 'next_attempt_at',
    createdAt: 'created_at',
    sentAt: 'sent_at',
    type: 'kind',
    error: 'error',
    errorCode: 'error_code',
    dedupe: ['source', 'subject', 'kind', 'hour'],
  },
  label: ['source', 'subject'],
  counter: { column: 'attempts', bumps: 'on-failure', unreachable: 'charged' },
  claim: { batch: 20, atOnce: 20, lease: '2m' },
  retry: schedule(['5s', '30s', '2m', '10m', '30m']),
  destination: { transport: TRANSPORT, topic: 'on-duty' },
  message: ({ id, kind, payload, created_at: occurredAt }) => ({
    id,
    type: `alert.${kind}`,
    occurredAt,
    payload,
  }),
})

const LOOK_MS = 5_000

/**
 * Writes notices of new alerts and of those that are over. Any number of these may run: a subject has
 * one notice of a kind in an hour, by its table.
 */
export function noticeWriter(pool: Pool): PeriodicTask {
  return {
    name: NOTICES,
    everyMs: LOOK_MS,
    idleMs: 10_000,
    async step() {
      return (await writeNotices(pool)) > 0 ? undefined : 'idle'
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
