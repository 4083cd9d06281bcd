import { uuid, type Transaction } from '@posthorn/engine'
import { insertActivities, insertAuditEvents } from './queries.ts'

/** What happened to a message or a dossier, for people who ask later. */
export interface AuditEvent {
  readonly orgId: string
  readonly entity: 'OUTBOUND_MESSAGE' | 'DOSSIER' | 'CONVERSATION' | 'ACCOUNT' | 'TEMPLATE'
  readonly entityId: string
  readonly action:
    | 'CREATED'
    | 'SENT'
    | 'UPDATED'
    | 'FAILED'
    | 'CANCELLED'
    | 'RETRIED'
    | 'DELETED'
    /** An account that was stopped sends again. */
    | 'RESUMED'
    /** A status that came too late to change anything. */
    | 'IGNORED'
    | 'BLOCKED_BY_POLICY'
    /** A person wants no more messages, or wants them again. */
    | 'OPTED_OUT'
    | 'OPTED_IN'
  readonly details: string
  readonly actor: string
}

/** A line in a dossier's timeline. */
export interface Activity {
  readonly orgId: string
  readonly dossierId: string | null
  readonly type: 'MESSAGE_SENT' | 'MESSAGE_STATUS_UPDATE' | 'MESSAGE_FAILED' | 'MESSAGE_RECEIVED'
  readonly metadata: Readonly<Record<string, unknown>>
}

export async function recordAudit(tx: Transaction, events: readonly AuditEvent[]): Promise<void> {
  if (events.length === 0) return
  await insertAuditEvents(
    tx,
    events.map((event) => ({ id: uuid(), ...event })),
  )
}

/** Messages without a dossier have no timeline: theirs are left out. */
export async function recordActivities(
  tx: Transaction,
  activities: readonly Activity[],
): Promise<void> {
  const linked = activities.filter(({ dossierId }) => dossierId !== null)
  if (linked.length === 0) return
  await insertActivities(
    tx,
    linked.map((activity) => ({ id: uuid(), ...activity })),
  )
}
