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
    "Every user sees the organisation's own entries. Entries of several audits are merged by when they really happened, however the business clock was moved. What became of a row of an evidence file is found by the id of the row.",
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
        at: Type.String({ format: 'date-time', description: 'when it really happened' }),
        businessAt: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
          description: 'by the business clock, where the audit is dated by that too',
        }),
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
        return rows.map((row) => ({ ...row, audit: source.name }))
      }),
    )
    const shown = newestOf(found, limit)
    const reached = Object.fromEntries(shown.map(({ audit, seq }) => [audit, seq]))
    return {
      items: shown.map(entryOf),
      nextCursor: found.flat().length > limit ? encodeCursor([{ ...places, ...reached }]) : null,
    }
  })
}

type FoundEntry = SystemAuditEntry & { readonly audit: string }

/**
 * The newest of several audits, each in its own order: the next page goes on by the numbers of entries, and
 * those of transactions side by side are not given out in the order of their times.
 */
function newestOf(audits: readonly (readonly FoundEntry[])[], limit: number): FoundEntry[] {
  const left = audits.map((entries) => [...entries])
  const newest: FoundEntry[] = []
  while (newest.length < limit) {
    const [next] = left
      .filter(({ length }) => length > 0)
      .toSorted(([one], [other]) => Number(other?.at) - Number(one?.at))
    const entry = next?.shift()
    if (entry === undefined) break
    newest.push(entry)
  }
  return newest
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
    at: entry.at.toISOString(),
    businessAt: entry.business_at?.toISOString() ?? null,
  }
}
