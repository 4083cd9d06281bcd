import { transaction, type Outbox } from '@posthorn/engine'
import {
  continueReplay,
  getReplay,
  listReplays,
  type ReplayRunOptions,
} from '@posthorn/operate/internal'
import {
  countReplay,
  replay,
  startReplay,
  stopReplay,
  type PeriodicTask,
  type ReplayFilter,
  type ReplayRun,
} from '@posthorn/operate'
import { groupDead } from '@posthorn/engine/internal'
import { callerOf, problem, type App } from '@posthorn/http'
import { resource, type NameDestinations } from '@posthorn/system'
import type { FastifyRequest } from 'fastify'
import type { Pool } from 'pg'
import { Type, type Static } from 'typebox'
import {
  OPERATOR,
  OptionalReason,
  OutboxParams,
  isWithin,
  outboxFor,
  scopeOf,
  withinScope,
  type OutboxRegistry,
  Moment,
} from './outbox-registry.ts'

const Value = Type.Optional(Type.String({ minLength: 1, maxLength: 1_000 }))
const Time = Type.Optional(Type.String({ format: 'date-time' }))

/** Which dead messages, wherever they are asked for. */
const DeadFilter = Type.Object({
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

const Replay = Type.Object({
  id: Type.String(),
  outbox: Type.String(),
  state: Type.Union([Type.Literal('running'), Type.Literal('done'), Type.Literal('stopped')]),
  filter: Filter,
  perSecond: Type.Union([Type.Number(), Type.Null()]),
  matched: Type.Integer({ description: 'Messages that matched when the replay started' }),
  wanted: Type.Integer({ description: 'Number of messages to replay' }),
  replayed: Type.Integer({ description: 'Messages replayed so far' }),
  diedAgain: Type.Integer({
    description: 'Replayed messages that died again; these end the replay',
  }),
  by: Type.String(),
  reason: Type.Union([Type.String(), Type.Null()]),
  startedAt: Type.String({ format: 'date-time' }),
  endedAt: Moment,
})

const tags = ['outboxes']

const Order = Type.Object({
  filter: Type.Optional(Filter),
  reason: Value,
  perSecond: Type.Optional(Type.Number({ minimum: 0.001, maximum: 100_000 })),
})

const replaying = {
  summary: 'Replay dead messages, all or by a filter, or count them',
  tags,
  params: OutboxParams,
  body: Type.Object({
    ...Order.properties,
    dryRun: Type.Optional(Type.Boolean()),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000 })),
  }),
  response: {
    202: Type.Object({
      count: Type.Integer({ description: 'Number of messages in this call' }),
      dryRun: Type.Boolean(),
    }),
  },
}

const starting = {
  summary: 'Start a replay of any number of dead messages in the background',
  tags,
  params: OutboxParams,
  body: Type.Object({
    ...Order.properties,
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000_000 })),
  }),
  response: { 202: Replay },
}

const listing = {
  summary: 'The latest replays with their progress, newest first',
  tags,
  params: OutboxParams,
  response: { 200: Type.Object({ items: Type.Array(Replay) }) },
}

const ReplayParams = Type.Object({
  ...OutboxParams.properties,
  id: Type.String({ minLength: 1, maxLength: 40 }),
})

const showing = {
  summary: 'A replay and its progress',
  tags,
  params: ReplayParams,
  response: { 200: Replay },
}

const stopping = {
  summary: 'Stop a replay after its current batch; other messages stay dead',
  tags,
  params: ReplayParams,
  body: OptionalReason,
  response: { 200: Replay },
}

export function replayRoutes(app: App, pool: Pool, outboxes: OutboxRegistry): void {
  /** The replay, or 404, also for one that is not of the caller's organisation only. */
  const findRun = async (request: FastifyRequest<{ Params: Static<typeof ReplayParams> }>) => {
    const { name, id } = request.params
    const outbox = outboxFor(request, outboxes, name)
    const run = await getReplay(pool, outbox, id)
    if (!run || !isWithin(scopeOf(request), { tenant: run.filter.tenant })) {
      throw problem('NOT_FOUND', { detail: 'the outbox has no such replay' })
    }
    return { outbox, run }
  }

  app.post(
    '/api/v1/outboxes/:name/replay',
    { schema: replaying, config: OPERATOR },
    async (request, reply) => {
      const outbox = outboxFor(request, outboxes, request.params.name)
      const { dryRun = false, limit, ...order } = request.body
      const options = { ...optionsOf(request, order), ...(limit !== undefined && { limit }) }
      const count = dryRun
        ? await countReplay(pool, outbox, options.filter)
        : (await transaction(pool, (tx) => replay(tx, outbox, options))).length
      return reply.code(202).send({ count, dryRun })
    },
  )

  app.post(
    '/api/v1/outboxes/:name/replays',
    { schema: starting, config: OPERATOR },
    async (request, reply) => {
      const outbox = outboxFor(request, outboxes, request.params.name)
      const { limit, ...order } = request.body
      const options = { ...optionsOf(request, order), ...(limit !== undefined && { limit }) }
      const run = await transaction(pool, (tx) => startReplay(tx, outbox, options))
      return reply.code(202).send(resourceOf(run))
    },
  )

  app.get(
    '/api/v1/outboxes/:name/replays',
    { schema: listing, config: OPERATOR },
    async (request) => {
      const outbox = outboxFor(request, outboxes, request.params.name)
      const runs = await listReplays(pool, outbox, scopeOf(request))
      return { items: runs.map(resourceOf) }
    },
  )

  app.get(
    '/api/v1/outboxes/:name/replays/:id',
    { schema: showing, config: OPERATOR },
    async (request) => resourceOf((await findRun(request)).run),
  )

  app.post(
    '/api/v1/outboxes/:name/replays/:id/stop',
    { schema: stopping, config: OPERATOR },
    async (request) => {
      const { outbox, run } = await findRun(request)
      const reason = request.body?.reason
      const stop = {
        id: run.id,
        by: callerOf(request).sub,
        ...(reason !== undefined && { reason }),
      }
      const stopped = await transaction(pool, (tx) => stopReplay(tx, outbox, stop))
      if (stopped) return resourceOf(stopped)
      throw problem('CONFLICT', { detail: 'the replay has ended' })
    },
  )
}

const LOOK_MS = 1_000

/** Goes on with replays, whichever process began them; one whose batch failed waits behind the others. */
export function replayTask(pool: Pool, outboxes: readonly Outbox[]): PeriodicTask {
  return {
    name: 'server.replays',
    everyMs: LOOK_MS,
    idleMs: 10_000,
    async step() {
      const run = await transaction(pool, (tx) => continueReplay(tx, outboxes))
      if (run?.failure) throw run.failure
      return run ? 'more' : 'idle'
    },
  }
}

function optionsOf(
  request: FastifyRequest,
  { filter = {}, reason, perSecond }: Static<typeof Order>,
): ReplayRunOptions {
  return {
    filter: withinScope(request, filterOf(filter)),
    by: callerOf(request).sub,
    ...(reason !== undefined && { reason }),
    ...(perSecond !== undefined && { perSecond }),
  }
}

const resourceOf = resource<typeof Replay, ReplayRun>(Replay)

function filterOf({ since, until, ...rest }: Static<typeof Filter>): ReplayFilter {
  return {
    ...rest,
    ...(since !== undefined && { since: new Date(since) }),
    ...(until !== undefined && { until: new Date(until) }),
  }
}

const Text = Type.Union([Type.String(), Type.Null()])

const DeadGroup = Type.Object({
  code: Text,
  count: Type.Integer(),
  firstDiedAt: Moment,
  lastDiedAt: Moment,
  error: Type.Union([Type.String(), Type.Null()], {
    description: 'Error of one of these messages',
  }),
  destinations: Type.Array(
    Type.Object({
      destination: Type.String(),
      name: Type.Union([Type.String(), Type.Null()], {
        description: 'Readable name of the destination, such as the URL of an endpoint',
      }),
      count: Type.Integer(),
    }),
    {
      description:
        'Destinations of these messages, most messages first; empty if there are too many',
    },
  ),
})

const groupOf = resource<typeof DeadGroup, object>(DeadGroup)

interface DeadLetterOptions {
  readonly outboxes: OutboxRegistry
  readonly nameDestinations: NameDestinations
}

const grouping = {
  summary: 'Dead messages of an outbox by error code and destination, most frequent first',
  tags: ['outboxes'],
  params: OutboxParams,
  querystring: DeadFilter,
  response: { 200: Type.Object({ items: Type.Array(DeadGroup) }) },
}

export function deadLetterRoutes(
  app: App,
  pool: Pool,
  { outboxes, nameDestinations }: DeadLetterOptions,
): void {
  app.get(
    '/api/v1/outboxes/:name/dead-letters',
    { schema: grouping, config: OPERATOR },
    async (request) => {
      const outbox = outboxFor(request, outboxes, request.params.name)
      const filter = withinScope(request, filterOf(request.query))
      const groups = await groupDead(pool, outbox, filter)
      const places = groups.flatMap(({ destinations }) => destinations)
      const names = await nameDestinations([
        ...new Set(places.map(({ destination }) => destination)),
      ])
      return {
        items: groups.map(({ destinations, ...group }) =>
          groupOf({
            ...group,
            destinations: destinations.map((each) => ({
              ...each,
              name: names.get(each.destination),
            })),
          }),
        ),
      }
    },
  )
}
