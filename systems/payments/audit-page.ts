import type { Queryable } from '@posthorn/engine'
import { decodeCursor, toPage, type PageQuery } from '@posthorn/http'
import { Type, type Static } from 'typebox'
import { selectAudit, type AuditSubject } from './queries.ts'

export const AuditId = Type.String({ pattern: '^[1-9]\\d{0,17}$' })
const Cursor = Type.Tuple([AuditId])

/** What happened to something, newest first. */
export async function auditPage(
  db: Queryable,
  subject: AuditSubject,
  { limit, cursor }: Pick<Static<typeof PageQuery>, 'limit' | 'cursor'>,
) {
  const before = cursor === undefined ? undefined : decodeCursor(cursor, Cursor)[0]
  const rows = await selectAudit(db, { ...subject, before, limit: limit + 1 })
  return toPage(rows, limit, {
    item: ({ seq: id, created_at: at, ...entry }) => ({
      id,
      ...entry,
      createdAt: at.toISOString(),
    }),
    after: ({ seq }) => seq,
  })
}
