import { transaction } from '@posthorn/engine'
import { countDeadLetters } from '@posthorn/engine/internal'
import {
  dropDeadLetters,
  getDeadLetter,
  listDeadLetters,
  replayDeadLetters,
  type SetAsideMessage,
} from '@posthorn/operate'
import { readConsumers, type ConsumerOverview } from '@posthorn/operate/internal'
import { PageQuery, pageOf, problem, sortable, type App } from '@posthorn/http'
import { nullable, NullableText, resource } from '@posthorn/system'
import { Type } from 'typebox'
import type { OperatorParts } from './index.ts'
import {
  FilterText,
  FilterTime,
  Moment,
  OPERATOR,
  PLATFORM,
  isWithin,
  operatorOf,
  scopeOf,
  timeSortOf,
  withDates,
  withinScope,
} from './outboxes/outbox-registry.ts'

const PATH = '/api/v1/consumers/dead-letters'
const State = Type.Union([Type.Literal('dead'), Type.Literal('retry'), Type.Literal('parked')])

const tags = ['consumers']

/** How a consumer group is doing, in every answer that says so. */
export const ConsumerResource = Type.Object({
  topic: Type.String(),
  group: Type.String(),
  transport: NullableText,
  lag: nullable(Type.Integer(), {
    description: 'Unacknowledged messages of the group; null before the first sample',
  }),
  sampledAt: Moment,
  retrying: Type.Integer({ description: 'Messages set aside until their next attempt' }),
  parked: Type.Integer({
    description: 'Messages set aside behind a failed message of the same key',
  }),
  dead: Type.Integer(),
  oldestDeadAt: Moment,
})

export const consumerOf = resource<typeof ConsumerResource, ConsumerOverview>(ConsumerResource)

const groups = {
  summary: 'Consumer groups with their lag and set-aside messages',
  tags,
  response: { 200: Type.Object({ items: Type.Array(ConsumerResource) }) },
}

const Filter = Type.Object({
  topic: FilterText,
  group: FilterText,
  type: FilterText,
  key: FilterText,
  tenant: FilterText,
  code: FilterText,
  since: FilterTime,
  until: FilterTime,
  search: FilterText,
})

const LetterResource = Type.Object({
  id: Type.String(),
  topic: Type.String(),
  group: Type.String(),
  status: State,
  partition: nullable(Type.Integer()),
  offset: NullableText,
  messageId: Type.String(),
  type: NullableText,
  key: NullableText,
  tenant: NullableText,
  attempts: Type.Integer(),
  code: NullableText,
  error: NullableText,
  dueAt: Moment,
  setAsideAt: Moment,
  diedAt: Moment,
})

const LetterDetails = Type.Object({
  ...LetterResource.properties,
  occurredAt: Moment,
  headers: Type.Record(Type.String(), Type.String()),
  payload: Type.Unknown({ description: 'Payload; fields named like secrets are redacted' }),
  body: nullable(Type.String(), {
    description: 'Received bytes in base64 if they could not be decoded, else null',
  }),
})

const letterOf = resource(LetterResource, { status: ({ state }: SetAsideMessage) => state })

const letterDetails = resource(LetterDetails, {
  status: ({ state }: SetAsideMessage) => state,
  body: ({ body }) => (body ? Buffer.from(body).toString('base64') : null),
})

const list = {
  summary: 'Messages that consumers set aside, newest first',
  tags,
  querystring: Type.Object({
    ...PageQuery.properties,
    sort: sortable(['-setAsideAt', 'setAsideAt']).parameter,
    status: Type.Optional(State),
    ...Filter.properties,
  }),
  response: { 200: pageOf(LetterResource) },
}

const show = {
  summary: 'A message that a consumer set aside, with headers and payload',
  tags,
  params: Type.Object({ id: Type.String({ minLength: 1, maxLength: 40 }) }),
  response: { 200: LetterDetails },
}

const Ids = Type.Array(Type.String({ minLength: 1, maxLength: 40 }), {
  minItems: 1,
  maxItems: 1_000,
})

const operation = (summary: string) => ({
  summary,
  tags,
  body: Type.Object({
    filter: Type.Optional(Type.Object({ ids: Type.Optional(Ids), ...Filter.properties })),
    dryRun: Type.Optional(Type.Boolean()),
    reason: FilterText,
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000 })),
  }),
  response: { 202: Type.Object({ count: Type.Integer(), dryRun: Type.Boolean() }) },
})

const OPERATIONS = {
  replay: {
    schema: operation('Redeliver dead letters to their consumers, with zero attempts'),
    run: replayDeadLetters,
  },
  drop: {
    schema: operation('Delete dead letters for good and deliver the messages parked behind them'),
    run: dropDeadLetters,
  },
} as const

/** What operators see and do about consumers, whichever broker they read. */
export function consumerRoutes(app: App, { pool }: OperatorParts): void {
  app.get('/api/v1/consumers', { schema: groups, config: PLATFORM }, async () => ({
    items: (await readConsumers(pool)).map(consumerOf),
  }))

  app.get(PATH, { schema: list, config: OPERATOR }, async (request) => {
    const { status, cursor, limit, sort, ...asked } = request.query
    const { items, nextCursor } = await listDeadLetters(pool, {
      ...withinScope(request, withDates(asked)),
      limit,
      sort: timeSortOf(sort),
      ...(cursor !== undefined && { cursor }),
      ...(status !== undefined && { state: status }),
    })
    return { items: items.map(letterOf), nextCursor: nextCursor ?? null }
  })

  app.get(`${PATH}/:id`, { schema: show, config: OPERATOR }, async (request) => {
    const letter = await getDeadLetter(pool, request.params.id)
    if (!letter || !isWithin(scopeOf(request), letter))
      throw problem('NOT_FOUND', { detail: 'it is not set aside, or no longer' })
    return letterDetails(letter)
  })

  for (const name of ['replay', 'drop'] as const) {
    const { schema, run } = OPERATIONS[name]
    app.post(`${PATH}/${name}`, { schema, config: OPERATOR }, async (request, reply) => {
      const { dryRun = false, filter: asked = {}, reason, limit } = request.body
      const filter = withinScope(request, withDates(asked))
      if (dryRun) {
        const count = await countDeadLetters(pool, filter, name)
        return reply.code(202).send({ count, dryRun })
      }
      const limited = limit === undefined ? {} : { limit }
      const options = { filter, ...operatorOf(request, reason), ...limited }
      const ids = await transaction(pool, (tx) => run(tx, options))
      return reply.code(202).send({ count: ids.length, dryRun })
    })
  }
}
