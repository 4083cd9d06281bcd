import { defineOutbox, schedule, type Outbox } from '@posthorn/engine'

/** A notice as it stands in its table. */
export interface AlertNotice {
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

export const NOTICES = 'payments.alert-notices'

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
  claim: { batch: 20, lanes: 1, every: '10s', lease: '2m' },
  retry: schedule(['5s', '30s', '2m', '10m', '30m']),
  destination: { transport: TRANSPORT, topic: 'on-duty' },
  message: ({ id, kind, payload, created_at: occurredAt }) => ({
    id,
    type: `alert.${kind}`,
    occurredAt,
    payload,
  }),
})
