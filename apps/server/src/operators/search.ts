import { getMessage } from '@posthorn/operate'
import { isId } from '@posthorn/engine/internal'
import { callerOf, may, type App } from '@posthorn/http'
import type { Found } from '@posthorn/system'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { OperatorParts } from './index.ts'
import { isWithin, scopeOf } from './outboxes/outbox-registry.ts'

const FoundResource = Type.Object({
  kind: Type.String({
    description:
      'Type of the object: order, saga, payment, webhook, statement line, message, file …',
  }),
  id: Type.String(),
  title: Type.String(),
  detail: Type.String(),
  to: Type.String({ description: 'Path of its dashboard page' }),
})

const schema = {
  summary: 'Search by id, external id, recipient or amount',
  description:
    "Finds objects of the caller's organisation and related ones: the id of an order finds its saga and payment, that of a payment its webhooks and statement lines. Operators also find messages of outboxes by id.",
  tags: ['search'],
  querystring: Type.Object({ q: Type.String({ minLength: 1, maxLength: 200 }) }),
  response: { 200: Type.Object({ items: Type.Array(FoundResource) }) },
}

const OF_A_KIND = 5

export function searchRoutes(app: App, { pool, outboxes, searches }: OperatorParts): void {
  app.get('/api/v1/search', { schema }, async (request) => {
    const text = request.query.q.trim()
    // No text of Postgres has a zero byte in it: nothing can match.
    if (text === '' || text.includes('\0')) return { items: [] }
    const sought = { org: callerOf(request).org, text, limit: OF_A_KIND }
    const found = await Promise.all([
      ...searches.map((search) => search(pool, sought)),
      findMessages(request, { pool, outboxes, id: text }),
    ])
    return { items: found.flat() }
  })
}

async function findMessages(
  request: FastifyRequest,
  { pool, outboxes, id }: Pick<OperatorParts, 'pool' | 'outboxes'> & { id: string },
): Promise<Found[]> {
  if (!may(callerOf(request), 'operate')) return []
  const scope = scopeOf(request)
  const all = [...outboxes.values()].filter(({ columns }) => isId(id, columns.idType))
  const found = await Promise.all(
    all.map(async (outbox) => {
      const message = await getMessage(pool, outbox, id)
      if (!message || !isWithin(scope, message)) return []
      const { name } = outbox
      const open = encodeURIComponent(`${name}:${message.id}`)
      return [
        {
          kind: 'message',
          id: message.id,
          title:
            message.label === undefined ? `Message in ${name}` : `${message.label}, in ${name}`,
          detail: message.state,
          to: `/messages?outbox=${encodeURIComponent(name)}&open=${open}`,
        },
      ]
    }),
  )
  return found.flat()
}
