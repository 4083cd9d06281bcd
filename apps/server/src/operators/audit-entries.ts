import { PageQuery, decodeCursor, encodeCursor, pageOf, type App } from '@posthorn/http'
import type { AuditSource, SystemAuditEntry } from '@posthorn/systems'
import type { Pool } from 'pg'
import { Type } from 'typebox'
import { withinScope } from './outbox-registry.ts'

const Filter = Type.Optional(Type.String({ minLength: 1, maxLength: 1_000 }))
const Time = Type.Optional(Type.String({ format: 'date-time' }))
const Text = Type.Union([Type.String(), Type.Null()])

const schema = {
  summary:
    'Who did what in payments, webhooks, reconciliation, evidence and messages, newest first',
  description:
    "Every user sees the organisation's own entries. Entries of several audits are merged by their time. What became of a row of an evidence file is found by the id of the row.",
  tags: ['audit'],
  querystring: Type.Object({
    limit: PageQuery.properties.limit,
    cursor: PageQuery.properties.cursor,
    entityType: Filter,
    entityId: Filter,
    actor: Filter,
    action: Filter,
    tenant: Filter,
    since: Time,
    until: Time,
  }),
  response: {
    200: pageOf(
      Type.Object({
        id: Type.String(),
        audit: Type.String({ description: 'the table' }),
        tenant: Text,
        actor: Type.String(),
        action: Type.String(),
        entityType: Type.String(),
        entityId: Type.String(),
        details: Type.Unknown(),
        at: Type.String({ format: 'date-time' }),
        clock: Type.Enum(['wall', 'business'], { description: 'the one that `at` is of' }),
      }),
    ),
  },
}

/** How far each audit was read. */
const Places = Type.Tuple([
  Type.Record(Type.String(), Type.String({ pattern: '^[1-9]\\d{0,17}$' })),
])

/** What users and systems did, from every audit of every system. */
export function auditEntryRoutes(app: App, pool: Pool, sources: readonly AuditSource[]): void {
  app.get('/api/v1/audit/entries', { schema }, async (request) => {
    const { limit, cursor, since, until, ...asked } = withinScope(request, request.query)
    const places = cursor === undefined ? {} : decodeCursor(cursor, Places)[0]
    const search = {
      org: asked.tenant ?? null,
      entityType: asked.entityType ?? null,
      entityId: asked.entityId ?? null,
      actor: asked.actor ?? null,
      action: asked.action ?? null,
      since: since === undefined ? null : new Date(since),
      until: until === undefined ? null : new Date(until),
      limit: limit + 1,
    }
    const found = await Promise.all(
      sources.map(async (source) => {
        const rows = await source.search(pool, { ...search, before: places[source.name] ?? null })
        return rows.map((row) => ({ ...row, audit: source.name, clock: source.clock }))
      }),
    )
    const all = found
      .flat()
      .toSorted((one, other) => Number(other.created_at) - Number(one.created_at))
    const shown = all.slice(0, limit)
    const reached = Object.fromEntries(shown.map(({ audit, seq }) => [audit, seq]))
    return {
      items: shown.map(entryOf),
      nextCursor: all.length > limit ? encodeCursor([{ ...places, ...reached }]) : null,
    }
  })
}

type FoundEntry = SystemAuditEntry & {
  readonly audit: string
  readonly clock: AuditSource['clock']
}

function entryOf(entry: FoundEntry) {
  return {
    id: `${entry.audit}:${entry.seq}`,
    audit: entry.audit,
    tenant: entry.org_id,
    actor: entry.actor,
    action: entry.action,
    entityType: entry.entity_type,
    entityId: entry.entity_id,
    details: entry.details,
    at: entry.created_at.toISOString(),
    clock: entry.clock,
  }
}
