import { groupDead } from '@posthorn/engine'
import type { App } from '@posthorn/http'
import type { Pool } from 'pg'
import { Type } from 'typebox'
import type { Registered } from './registered.ts'
import { OPERATOR, OutboxParams, outboxNamed } from './registered.ts'
import { Moment, textOrNull } from './transition.ts'

const Text = Type.Union([Type.String(), Type.Null()])
const Value = Type.Optional(Type.String({ minLength: 1, maxLength: 1_000 }))
const Time = Type.Optional(Type.String({ format: 'date-time' }))

const schema = {
  summary: 'Dead messages of an outbox by the code they died of, the most frequent first',
  tags: ['outboxes'],
  params: OutboxParams,
  querystring: Type.Object({
    since: Time,
    until: Time,
    type: Value,
    tenant: Value,
    key: Value,
    code: Value,
  }),
  response: {
    200: Type.Object({
      items: Type.Array(
        Type.Object({
          code: Text,
          count: Type.Integer(),
          oldestAt: Moment,
          newestAt: Moment,
          error: Type.Union([Type.String(), Type.Null()], {
            description: 'what one of them was told',
          }),
        }),
      ),
    }),
  },
}

export function deadLetterRoutes(app: App, pool: Pool, outboxes: Registered): void {
  app.get(
    '/api/v1/outboxes/:name/dead-letters',
    { schema, config: OPERATOR },
    async ({ params, query: { since, until, ...filter } }) => {
      const groups = await groupDead(pool, outboxNamed(outboxes, params.name), {
        ...filter,
        ...(since !== undefined && { since: new Date(since) }),
        ...(until !== undefined && { until: new Date(until) }),
      })
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
