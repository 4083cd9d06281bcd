import type { Queryable } from '@posthorn/engine'
import { decodeCursor, toPage, type PageQuery } from '@posthorn/http'
import { Type, type Static } from 'typebox'
import type { AuditEvent } from './audit.ts'
import { listAuditEvents } from './queries.ts'

export const AuditResource = Type.Object({
  id: Type.String(),
  entityType: Type.Enum(['OUTBOUND_MESSAGE', 'DOSSIER', 'CONVERSATION', 'ACCOUNT', 'TEMPLATE']),
  entityId: Type.String(),
  action: Type.String(),
  details: Type.String(),
  actor: Type.String(),
  createdAt: Type.String({ format: 'date-time' }),
})

/** A cursor of lists that are ordered by when their rows were written. */
export const SeqCursor = Type.Tuple([Type.String({ pattern: '^\\d{1,18}$' })])

/** What is on record of one message or dossier, newest first. */
export async function auditPage(
  db: Queryable,
  subject: Pick<AuditEvent, 'orgId' | 'entity' | 'entityId'>,
  { limit, cursor }: Static<typeof PageQuery>,
) {
  const before = cursor === undefined ? undefined : decodeCursor(cursor, SeqCursor)[0]
  const rows = await listAuditEvents(db, { ...subject, before, limit: limit + 1 })
  return toPage(rows, limit, {
    item: (row) => ({
      id: row.id,
      entityType: row.entity_type,
      entityId: row.entity_id,
      action: row.action,
      details: row.details,
      actor: row.actor,
      createdAt: row.created_at.toISOString(),
    }),
    after: ({ seq }) => seq,
  })
}
