import type { ItemOf, StateRole, TimelineEntry } from '@posthorn/dashboard/kit'

export type AuditEvent = ItemOf<'/api/v1/dossiers/{id}/audit'>

const ROLES: Readonly<Record<string, StateRole>> = {
  CREATED: 'ready',
  SENT: 'sent',
  FAILED: 'dead',
  CANCELLED: 'cancelled',
  RETRIED: 'retry',
  BLOCKED_BY_POLICY: 'dead',
}

/** An audit event as a sentence with who did it. */
export function auditEntryOf({ id, action, details, actor, createdAt }: AuditEvent): TimelineEntry {
  return { id, at: createdAt, role: ROLES[action], what: details, details: `${action} by ${actor}` }
}
