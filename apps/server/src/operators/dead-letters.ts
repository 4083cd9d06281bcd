import { groupDead } from '@posthorn/engine/operate'
import type { App } from '@posthorn/http'
import type { Pool } from 'pg'
import { Type } from 'typebox'
import { OPERATOR, OutboxParams, outboxNamed, type OutboxRegistry } from './outbox-registry.ts'
import { DeadFilter, filterOf } from './replays.ts'
import { Moment, textOrNull } from './transition.ts'

const Text = Type.Union([Type.String(), Type.Null()])

const schema = {
  summary: 'Dead messages of an outbox by the code they died of, the most frequent first',
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
  app.get(
    '/api/v1/outboxes/:name/dead-letters',
    { schema, config: OPERATOR },
    async ({ params, query }) => {
      const outbox = outboxNamed(outboxes, params.name)
      const groups = await groupDead(pool, outbox, filterOf(query))
      return {
        items: groups.map(({ code, count, oldestAt, newestAt, error }) => ({
          code: textOrNull(code),
          count,
          oldestAt: textOrNull(oldestAt),
          newestAt: textOrNull(newestAt),
          error: textOrNull(error),
        })),
      }
    },
  )
}
