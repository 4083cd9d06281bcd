import { Type, type Static } from 'typebox'
import type { ConsentEventRow } from './queries.ts'

const Nullable = Type.Union([Type.String(), Type.Null()])

/** A grant or a withdrawal as the API shows it. */
export const ConsentEventResource = Type.Object({
  id: Type.String({ format: 'uuid' }),
  channel: Type.String(),
  dossierId: Nullable,
  recipient: Nullable,
  granted: Type.Boolean(),
  source: Type.String({ description: 'how it was given; keyword: the person wrote it' }),
  purpose: Nullable,
  proof: Nullable,
  actor: Type.String({ description: 'who wrote it down' }),
  saidAt: Type.String({ format: 'date-time' }),
})

export function toConsentEvent(row: ConsentEventRow): Static<typeof ConsentEventResource> {
  return {
    id: row.id,
    channel: row.channel,
    dossierId: row.dossier_id,
    recipient: row.recipient,
    granted: row.granted,
    source: row.source,
    purpose: row.purpose,
    proof: row.proof,
    actor: row.actor,
    saidAt: row.said_at.toISOString(),
  }
}
