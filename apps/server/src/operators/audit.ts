import { searchAudit, type AuditEntry } from '@posthorn/operate'
import { PageQuery, decodeCursor, encodeCursor, pageOf, type App } from '@posthorn/http'
import { nullable, NullableText, resource, type SystemAuditEntry } from '@posthorn/system'
import { Type } from 'typebox'
import type { OperatorParts } from './index.ts'
import {
  FilterText,
  FilterTime,
  TransitionResource,
  withDates,
  withinScope,
} from './outboxes/outbox-registry.ts'

const Query = Type.Object({
  ...PageQuery.properties,
  kind: Type.Optional(Type.Union([Type.Literal('transition'), Type.Literal('operation')])),
  outbox: FilterText,
  messageId: FilterText,
  actor: FilterText,
  code: FilterText,
  tenant: FilterText,
  search: FilterText,
  since: FilterTime,
  until: FilterTime,
})

const TransitionEntry = Type.Object({
  kind: Type.Literal('transition'),
  id: Type.String(),
  outbox: Type.String(),
  messageId: Type.String(),
  tenant: NullableText,
  ...TransitionResource.properties,
})

const OperationEntry = Type.Object({
  kind: Type.Literal('operation'),
  id: Type.String(),
  operation: Type.String(),
  outbox: NullableText,
  subject: Type.String(),
  tenant: NullableText,
  actor: Type.String(),
  reason: NullableText,
  at: Type.String({ format: 'date-time' }),
})

const schema = {
  summary: 'Transitions of messages and actions of operators, newest first',
  description:
    'A page reads a limited number of entries, so a short or empty page need not be the last: follow `nextCursor`.',
  tags: ['audit'],
  querystring: Query,
  response: { 200: pageOf(Type.Union([TransitionEntry, OperationEntry])) },
}

export function auditRoutes(app: App, { pool }: OperatorParts): void {
  app.get('/api/v1/audit', { schema }, async (request) => {
    const { status, ...filter } = request.query
    const asked = { ...withDates(filter), ...(status !== undefined && { toState: status }) }
    const { items, nextCursor } = await searchAudit(pool, withinScope(request, asked))
    return { items: items.map(entryOf), nextCursor: nextCursor ?? null }
  })
}

const transitionEntry = resource<typeof TransitionEntry, AuditEntry>(TransitionEntry)
const operationEntry = resource<typeof OperationEntry, AuditEntry>(OperationEntry)

export function entryOf(entry: AuditEntry) {
  return entry.kind === 'transition' ? transitionEntry(entry) : operationEntry(entry)
}

const FoundResource = Type.Object({
  id: Type.String(),
  audit: Type.String({ description: 'Name of the audit table' }),
  tenant: NullableText,
  actor: Type.String(),
  action: Type.String(),
  entityType: Type.String(),
  entityId: Type.String(),
  details: Type.Unknown(),
  at: Type.String({ format: 'date-time', description: 'Real time of the entry' }),
  businessAt: nullable(Type.String({ format: 'date-time' }), {
    description: 'Time by the business clock; null if this audit does not record it',
  }),
})

const searching = {
  summary:
    'Who did what in payments, webhooks, reconciliation, evidence and messages, newest first',
  description:
    'Every user sees the entries of the own organisation, sorted by real time. To follow a row of an evidence file, filter by the id of the row.',
  tags: ['audit'],
  querystring: Type.Object({
    limit: PageQuery.properties.limit,
    cursor: PageQuery.properties.cursor,
    entityType: FilterText,
    entityId: FilterText,
    actor: FilterText,
    action: FilterText,
    tenant: FilterText,
    since: FilterTime,
    until: FilterTime,
  }),
  response: { 200: pageOf(FoundResource) },
}

/** How far each audit was read. */
const Places = Type.Tuple([
  Type.Record(Type.String(), Type.String({ pattern: '^[1-9]\\d{0,17}$' })),
])

/** What users and systems did, from every audit of every system. */
export function auditEntryRoutes(app: App, { pool, audits }: OperatorParts): void {
  app.get('/api/v1/audit/entries', { schema: searching }, async (request) => {
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
      audits.map(async (source) => {
        const rows = await source.search(pool, { ...search, before: places[source.name] ?? null })
        return rows.map((row) => ({ ...row, audit: source.name }))
      }),
    )
    const shown = newestOf(found, limit)
    const reached = Object.fromEntries(shown.map(({ audit, seq }) => [audit, seq]))
    return {
      items: shown.map(foundOf),
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

const foundOf = resource(FoundResource, {
  id: ({ audit, seq }: FoundEntry) => `${audit}:${seq}`,
  tenant: ({ org_id: org }) => org,
})
