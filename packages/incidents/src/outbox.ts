import { defineOutbox, schedule, type Outbox } from '@posthorn/engine'

/** A notice as it stands in its table. */
export interface Notice {
  id: string
  channel_id: string
  incident_id: string | null
  tenant: string | null
  kind: 'opened' | 'reminder' | 'closed' | 'test'
  payload: NoticePayload
  status: 'pending' | 'failed' | 'delivered' | 'abandoned'
  attempts: number
  next_attempt_at: Date
  error: string | null
  error_code: string | null
  created_at: Date
  sent_at: Date | null
}

/** What a notice says, in no channel's own form. */
export interface NoticePayload {
  readonly incident: string
  readonly source: string
  readonly code: string
  readonly tenant: string | null
  readonly alerts: number
  readonly detail: string
  readonly openedAt: string
}

export const NOTICES = 'incidents.notices'

/** Name under which the relay finds the transport of notices. */
export const TRANSPORT = 'incident-notices'

/** Notices to people on duty; a channel may be down for a while. */
export const notices: Outbox<Notice> = defineOutbox<Notice>({
  name: NOTICES,
  table: 'incidents.notice',
  states: { ready: 'pending', sent: 'delivered', retry: 'failed', dead: 'abandoned' },
  columns: {
    dueAt: 'next_attempt_at',
    createdAt: 'created_at',
    sentAt: 'sent_at',
    tenant: 'tenant',
    type: 'kind',
    error: 'error',
    errorCode: 'error_code',
  },
  label: ['payload.source', 'payload.code'],
  counter: { column: 'attempts', bumps: 'on-failure', unreachable: 'charged' },
  claim: { batch: 20, atOnce: 20, lease: '2m' },
  retry: schedule(['5s', '30s', '2m', '10m', '30m']),
  breaker: {},
  destination: ({ channel_id: topic }) => ({ transport: TRANSPORT, topic, label: TRANSPORT }),
  message: ({ id, kind, payload, created_at: occurredAt, tenant }) => ({
    id,
    type: `incident.${kind}`,
    occurredAt,
    payload,
    ...(tenant !== null && { tenant }),
  }),
})
