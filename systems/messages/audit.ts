import { uuid, type Transaction, type Queryable } from '@posthorn/engine'
import { decodeCursor, toPage, type PageQuery } from '@posthorn/http'
import { Type, type Static } from 'typebox'
import { resource, type RowOf } from '@posthorn/system'
import { Time } from './message.ts'
import { insertActivities, insertAuditEvents, listAuditEvents } from './queries.ts'

export const AuditResource = Type.Object({
  id: Type.String(),
  entityType: Type.Enum(['OUTBOUND_MESSAGE', 'DOSSIER', 'CONVERSATION', 'ACCOUNT', 'TEMPLATE']),
  entityId: Type.String(),
  action: Type.String(),
  details: Type.String(),
  actor: Type.String(),
  createdAt: Time,
})
const toAuditEntry = resource(AuditResource)

/** A row of `messages.audit_event`. */
export interface AuditRow extends RowOf<typeof AuditResource> {
  readonly seq: string
}

/** A cursor of lists that are ordered by when their rows were written. */
const SeqCursor = Type.Tuple([Type.String({ pattern: '^\\d{1,18}$' })])

/** A page of such a list, newest first. */
export async function pageBySeq<Row, Item>(
  { limit, cursor }: Static<typeof PageQuery>,
  item: (row: Row) => Item,
  list: (page: {
    readonly before: string | undefined
    readonly limit: number
  }) => Promise<(Row & { readonly seq: string })[]>,
) {
  const before = cursor === undefined ? undefined : decodeCursor(cursor, SeqCursor)[0]
  const rows = await list({ before, limit: limit + 1 })
  return toPage(rows, limit, { item, after: ({ seq }) => seq })
}

/** What is on record of one message or dossier, newest first. */
export function auditPage(
  db: Queryable,
  subject: Pick<AuditEvent, 'orgId' | 'entity' | 'entityId'>,
  query: Static<typeof PageQuery>,
) {
  return pageBySeq(query, toAuditEntry, (page) => listAuditEvents(db, { ...subject, ...page }))
}

/** What happened to a message or a dossier, for people who ask later. */
export interface AuditEvent {
  readonly orgId: string
  readonly entity: AuditRow['entity_type']
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
