import { groupDead } from '@posthorn/engine/operate'
import type { App } from '@posthorn/http'
import type { Pool } from 'pg'
import { Type } from 'typebox'
import {
  OPERATOR,
  OutboxParams,
  outboxFor,
  withinScope,
  type OutboxRegistry,
} from './outbox-registry.ts'
import { DeadFilter, filterOf } from './replays.ts'
import { Moment, textOrNull } from './transition.ts'

const Text = Type.Union([Type.String(), Type.Null()])

const schema = {
  summary: 'Dead messages of an outbox by error code, the most frequent first',
  tags: ['outboxes'],
  params: OutboxParams,
  querystring: DeadFilter,
  response: {
    200: Type.Object({
      items: Type.Array(
        Type.Object({
          code: Text,
          count: Type.Integer(),
          oldestAt: Moment,
          newestAt: Moment,
          error: Type.Union([Type.String(), Type.Null()], {
            description: 'the error of one of them',
          }),
        }),
      ),
    }),
  },
}

export function deadLetterRoutes(app: App, pool: Pool, outboxes: OutboxRegistry): void {
  app.get('/api/v1/outboxes/:name/dead-letters', { schema, config: OPERATOR }, async (request) => {
    const outbox = outboxFor(request, outboxes, request.params.name)
    const filter = withinScope(request, filterOf(request.query))
    const groups = await groupDead(pool, outbox, filter)
    return {
      items: groups.map(({ code, count, oldestAt, newestAt, error }) => ({
        code: textOrNull(code),
        count,
        oldestAt: textOrNull(oldestAt),
        newestAt: textOrNull(newestAt),
        error: textOrNull(error),
      })),
    }
  })
}
