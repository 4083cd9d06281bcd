import { countReplay, replay, type ReplayFilter } from '@posthorn/engine/operate'
import { transaction } from '@posthorn/engine'
import { callerOf, type App } from '@posthorn/http'
import type { Pool } from 'pg'
import { Type, type Static } from 'typebox'
import { OPERATOR, OutboxParams, outboxNamed, type Registered } from './registered.ts'

const Value = Type.Optional(Type.String({ minLength: 1, maxLength: 1_000 }))
const Time = Type.Optional(Type.String({ format: 'date-time' }))

/** Which dead messages, wherever they are asked for. */
export const DeadFilter = Type.Object({
  since: Time,
  until: Time,
  type: Value,
  tenant: Value,
  key: Value,
  code: Value,
})

const Filter = Type.Object({
  ids: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 200 }), { minItems: 1, maxItems: 1_000 }),
  ),
  ...DeadFilter.properties,
})

const schema = {
  summary: 'Send dead messages again, all or those of a filter; or only count them',
  tags: ['outboxes'],
  params: OutboxParams,
  body: Type.Object({
    filter: Type.Optional(Filter),
    dryRun: Type.Optional(Type.Boolean()),
    reason: Value,
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000 })),
    perSecond: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 100_000 })),
  }),
  response: {
    202: Type.Object({ count: Type.Integer(), dryRun: Type.Boolean() }),
  },
}

export function replayRoutes(app: App, pool: Pool, outboxes: Registered): void {
  app.post(
    '/api/v1/outboxes/:name/replay',
    { schema, config: OPERATOR },
    async (request, reply) => {
      const outbox = outboxNamed(outboxes, request.params.name)
      const { dryRun = false, filter: asked = {}, reason, limit, perSecond } = request.body
      const filter = filterOf(asked)
      if (dryRun) {
        const count = await countReplay(pool, outbox, filter)
        return reply.code(202).send({ count, dryRun })
      }
      const options = {
        filter,
        by: callerOf(request).sub,
        ...(reason !== undefined && { reason }),
        ...(limit !== undefined && { limit }),
        ...(perSecond !== undefined && { perSecond }),
      }
      const ids = await transaction(pool, (tx) => replay(tx, outbox, options))
      return reply.code(202).send({ count: ids.length, dryRun })
    },
  )
}

export function filterOf({ since, until, ...rest }: Static<typeof Filter>): ReplayFilter {
  return {
    ...rest,
    ...(since !== undefined && { since: new Date(since) }),
    ...(until !== undefined && { until: new Date(until) }),
  }
}
