import type { paths, StateRole, TimelineEntry } from '@posthorn/dashboard/kit'

export type AuditEvent =
  paths['/api/v1/dossiers/{id}/audit']['get']['responses']['200']['content']['application/json']['items'][number]

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
