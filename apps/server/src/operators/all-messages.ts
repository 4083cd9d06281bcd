import { listAllMessages } from '@posthorn/engine/operate'
import { pageOf, type App } from '@posthorn/http'
import type { Pool } from 'pg'
import { Type } from 'typebox'
import { MessageQuery, Summary, filterOf, summaryOf } from './messages.ts'
import { OPERATOR, OutboxName, outboxFor, type OutboxRegistry } from './outbox-registry.ts'

/** It has a place in every outbox. */
const Cursor = Type.String({
  minLength: 1,
  maxLength: 10_000,
  description: '`nextCursor` of the page before',
})

const list = {
  summary: 'Messages of all outboxes together, newest first',
  description:
    'An outbox that does not keep what a filter asks for has no message that matches it.',
  tags: ['outboxes'],
  querystring: Type.Object({
    ...MessageQuery.properties,
    cursor: Type.Optional(Cursor),
    outbox: Type.Optional(OutboxName),
  }),
  response: { 200: pageOf(Type.Object({ ...Summary, outbox: Type.String() })) },
}

export function allMessageRoutes(app: App, pool: Pool, outboxes: OutboxRegistry): void {
  app.get('/api/v1/messages', { schema: list, config: OPERATOR }, async (request) => {
    const { outbox: name, ...query } = request.query
    const asked = name === undefined ? [...outboxes.values()] : [outboxFor(request, outboxes, name)]
    const { items, nextCursor } = await listAllMessages(pool, asked, filterOf(request, query))
    return {
      items: items.map((item) => ({ ...summaryOf(item), outbox: item.outbox })),
      nextCursor: nextCursor ?? null,
    }
  })
}
