import { searchAudit, type AuditEntry, type AuditOptions } from '@posthorn/engine/operate'
import { PageQuery, pageOf, type App } from '@posthorn/http'
import type { Pool } from 'pg'
import { Type, type Static } from 'typebox'
import { withinScope } from './outbox-registry.ts'
import { TransitionResource, textOrNull, transitionOf } from './transition.ts'

const Text = Type.Union([Type.String(), Type.Null()])
const Filter = Type.Optional(Type.String({ minLength: 1, maxLength: 1_000 }))
const Time = Type.Optional(Type.String({ format: 'date-time' }))

const Query = Type.Object({
  ...PageQuery.properties,
  kind: Type.Optional(Type.Union([Type.Literal('transition'), Type.Literal('operation')])),
  outbox: Filter,
  messageId: Filter,
  actor: Filter,
  code: Filter,
  tenant: Filter,
  search: Filter,
  since: Time,
  until: Time,
})

const Entry = Type.Union([
  Type.Object({
    kind: Type.Literal('transition'),
    id: Type.String(),
    outbox: Type.String(),
    messageId: Type.String(),
    tenant: Text,
    ...TransitionResource.properties,
  }),
  Type.Object({
    kind: Type.Literal('operation'),
    id: Type.String(),
    operation: Type.String(),
    outbox: Text,
    subject: Type.String(),
    tenant: Text,
    actor: Type.String(),
    reason: Text,
    at: Type.String({ format: 'date-time' }),
  }),
])

const schema = {
  summary: 'What happened to messages and what operators did, newest first',
  description:
    'A page looks at a bounded number of entries: it may be short, or empty, and yet not the last.',
  tags: ['audit'],
  querystring: Query,
  response: { 200: pageOf(Entry) },
}

export function auditRoutes(app: App, pool: Pool): void {
  app.get('/api/v1/audit', { schema }, async (request) => {
    const { items, nextCursor } = await searchAudit(
      pool,
      withinScope(request, optionsOf(request.query)),
    )
    return { items: items.map(entryOf), nextCursor: nextCursor ?? null }
  })
}

function optionsOf({ status, since, until, ...rest }: Static<typeof Query>): AuditOptions {
  return {
    ...rest,
    ...(status !== undefined && { toState: status }),
    ...(since !== undefined && { since: new Date(since) }),
    ...(until !== undefined && { until: new Date(until) }),
  }
}

export function entryOf(entry: AuditEntry) {
  if (entry.kind === 'transition') {
    const { kind, id, outbox, messageId, tenant } = entry
    return { kind, id, outbox, messageId, tenant: textOrNull(tenant), ...transitionOf(entry) }
  }
  const { kind, id, operation, outbox, subject, tenant, actor, reason, at } = entry
  return {
    kind,
    id,
    operation,
    outbox: textOrNull(outbox),
    subject,
    tenant: textOrNull(tenant),
    actor,
    reason: textOrNull(reason),
    at: at.toISOString(),
  }
}
