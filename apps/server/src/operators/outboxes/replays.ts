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
  type ReplayRun,
} from '@posthorn/operate'
import { groupDead } from '@posthorn/engine/internal'
import { problem, type App } from '@posthorn/http'
import { nullable, NullableText, resource } from '@posthorn/system'
import type { FastifyRequest } from 'fastify'
import type { Pool } from 'pg'
import { Type, type Static } from 'typebox'
import type { OperatorParts } from '../index.ts'
import {
  FilterText,
  FilterTime,
  OPERATOR,
  OptionalReason,
  OutboxParams,
  isWithin,
  operatorOf,
  outboxFor,
  scopeOf,
  withDates,
  withinScope,
  Moment,
} from './outbox-registry.ts'

const PATH = '/api/v1/outboxes/:name'

/** Which dead messages, wherever they are asked for. */
const DeadFilter = Type.Object({
  since: FilterTime,
  until: FilterTime,
  type: FilterText,
  tenant: FilterText,
  key: FilterText,
  code: FilterText,
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
  perSecond: nullable(Type.Number()),
  matched: Type.Integer({ description: 'Messages that matched when the replay started' }),
  wanted: Type.Integer({ description: 'Number of messages to replay' }),
  replayed: Type.Integer({ description: 'Messages replayed so far' }),
  diedAgain: Type.Integer({
    description: 'Replayed messages that died again; these end the replay',
  }),
  by: Type.String(),
  reason: NullableText,
  startedAt: Type.String({ format: 'date-time' }),
  endedAt: Moment,
})

const tags = ['outboxes']

const Order = Type.Object({
  filter: Type.Optional(Filter),
  reason: FilterText,
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

export function replayRoutes(app: App, { pool, outboxes }: OperatorParts): void {
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

  app.post(`${PATH}/replay`, { schema: replaying, config: OPERATOR }, async (request, reply) => {
    const outbox = outboxFor(request, outboxes, request.params.name)
    const { dryRun = false, ...order } = request.body
    const options = optionsOf(request, order)
    const count = dryRun
      ? await countReplay(pool, outbox, options.filter)
      : (await transaction(pool, (tx) => replay(tx, outbox, options))).length
    return reply.code(202).send({ count, dryRun })
  })

  app.post(`${PATH}/replays`, { schema: starting, config: OPERATOR }, async (request, reply) => {
    const outbox = outboxFor(request, outboxes, request.params.name)
    const options = optionsOf(request, request.body)
    const run = await transaction(pool, (tx) => startReplay(tx, outbox, options))
    return reply.code(202).send(resourceOf(run))
  })

  app.get(`${PATH}/replays`, { schema: listing, config: OPERATOR }, async (request) => {
    const outbox = outboxFor(request, outboxes, request.params.name)
    const runs = await listReplays(pool, outbox, scopeOf(request))
    return { items: runs.map(resourceOf) }
  })

  app.get(`${PATH}/replays/:id`, { schema: showing, config: OPERATOR }, async (request) =>
    resourceOf((await findRun(request)).run),
  )

  app.post(`${PATH}/replays/:id/stop`, { schema: stopping, config: OPERATOR }, async (request) => {
    const { outbox, run } = await findRun(request)
    const stop = { id: run.id, ...operatorOf(request, request.body?.reason) }
    const stopped = await transaction(pool, (tx) => stopReplay(tx, outbox, stop))
    if (stopped) return resourceOf(stopped)
    throw problem('CONFLICT', { detail: 'the replay has ended' })
  })
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
  { filter = {}, reason, ...pace }: Static<typeof Order> & { limit?: number },
): ReplayRunOptions {
  const within = withinScope(request, withDates(filter))
  return { filter: within, ...operatorOf(request, reason), ...pace }
}

const resourceOf = resource<typeof Replay, ReplayRun>(Replay)

const DeadGroup = Type.Object({
  code: NullableText,
  count: Type.Integer(),
  firstDiedAt: Moment,
  lastDiedAt: Moment,
  error: nullable(Type.String(), {
    description: 'Error of one of these messages',
  }),
  destinations: Type.Array(
    Type.Object({
      destination: Type.String(),
      name: nullable(Type.String(), {
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

const grouping = {
  summary: 'Dead messages of an outbox by error code and destination, most frequent first',
  tags: ['outboxes'],
  params: OutboxParams,
  querystring: DeadFilter,
  response: { 200: Type.Object({ items: Type.Array(DeadGroup) }) },
}

export function deadLetterRoutes(
  app: App,
  { pool, outboxes, nameDestinations }: OperatorParts,
): void {
  app.get(`${PATH}/dead-letters`, { schema: grouping, config: OPERATOR }, async (request) => {
    const outbox = outboxFor(request, outboxes, request.params.name)
    const filter = withinScope(request, withDates(request.query))
    const groups = await groupDead(pool, outbox, filter)
    const places = groups.flatMap(({ destinations }) => destinations)
    const names = await nameDestinations([...new Set(places.map((place) => place.destination))])
    return {
      items: groups.map(({ destinations, ...group }) => {
        const named = destinations.map((each) => ({ ...each, name: names.get(each.destination) }))
        return groupOf({ ...group, destinations: named })
      }),
    }
  })
}
