import { PosthornError, transaction } from '@posthorn/engine'
import {
  listRecurring,
  pauseRecurring,
  resumeRecurring,
  runRecurring,
  type RecurringStatus,
} from '@posthorn/operate'
import { problem, type App } from '@posthorn/http'
import { nullable, NullableText, resource } from '@posthorn/system'
import { Type } from 'typebox'
import type { OperatorParts } from '../index.ts'
import {
  FilterText,
  OptionalReason,
  OutboxName,
  OutboxParams,
  PLATFORM,
  operatorOf,
  outboxNamed,
  type OutboxRegistry,
  Moment,
  textOrNull,
} from './outbox-registry.ts'

const tags = ['outboxes']
const Params = Type.Object({
  name: OutboxName,
  recurring: Type.String({ minLength: 1, maxLength: 63 }),
})

const Resource = Type.Object({
  name: Type.String(),
  rule: Type.String({
    description: 'Schedule, such as `every 30s` or `cron 0 6 * * * Europe/Zurich`',
  }),
  inWords: Type.String({
    description: 'The rule in words, such as `every day at 06:00, Europe/Zurich`',
  }),
  timeZone: NullableText,
  missed: Type.Union(
    [Type.Literal('latest'), Type.Literal('all'), Type.Literal('skip'), Type.Null()],
    { description: 'What happens to times missed while no relay ran' },
  ),
  nextAt: Moment,
  lastAt: Moment,
  lastMessage: NullableText,
  enqueued: Type.Integer(),
  overdue: Type.Boolean({
    description: 'True if it has been due for more than a minute and is not paused',
  }),
  error: NullableText,
  pausedAt: Moment,
  pausedBy: NullableText,
  pauseReason: NullableText,
  runAt: nullable(Type.String({ format: 'date-time' }), {
    description: 'When an operator last ran it; null if never',
  }),
  runBy: NullableText,
})

const list = {
  summary: 'Recurring messages of an outbox that a relay has registered, with next and last times',
  tags,
  params: OutboxParams,
  response: { 200: Type.Object({ items: Type.Array(Resource) }) },
}

const Steered = Type.Object({
  changed: Type.Boolean({ description: 'False if it was already in this state' }),
  recurring: Resource,
})

const pausing = {
  summary: 'Pause a recurring message in every process; a running enqueue finishes first',
  tags,
  params: Params,
  body: OptionalReason,
  response: { 200: Steered },
}

const resuming = {
  summary:
    'Resume a recurring message; its definition decides whether missed times are made up for',
  tags,
  params: Params,
  body: Type.Union([
    Type.Object({
      reason: FilterText,
      missed: Type.Optional(
        Type.Literal('skip', {
          description: 'skip: do not make up for the times missed during the pause',
        }),
      ),
    }),
    Type.Null(),
  ]),
  response: { 200: Steered },
}

const running = {
  summary: 'Enqueue a recurring message now, paused or not; its schedule does not change',
  tags,
  params: Params,
  body: Type.Union([
    Type.Object({
      reason: FilterText,
      seen: Type.Optional(
        Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
          description: 'The `runAt` that you last read; 409 if another operator has run it since',
        }),
      ),
    }),
    Type.Null(),
  ]),
  response: {
    200: Type.Object({
      message: Type.String({ description: 'Id of the message' }),
      created: Type.Boolean({ description: 'False if the dedupe key already had this message' }),
    }),
  },
}

/** An outbox gives itself messages for all organisations: they are the platform's to steer. */
export function recurringRoutes(app: App, { pool, outboxes }: OperatorParts): void {
  const base = '/api/v1/outboxes/:name/recurring'

  app.get(base, { schema: list, config: PLATFORM }, async (request) => {
    const { name } = outboxNamed(outboxes, request.params.name)
    return { items: (await listRecurring(pool, { outbox: name })).map(resourceOf) }
  })

  app.post(`${base}/:recurring/pause`, { schema: pausing, config: PLATFORM }, async (request) => {
    const which = whichOf(outboxes, request.params)
    const operator = operatorOf(request, request.body?.reason)
    const steered = await transaction(pool, (tx) => pauseRecurring(tx, which, operator))
    if (!steered) throw notNoted(which)
    return { changed: steered.changed, recurring: resourceOf(steered.status) }
  })

  app.post(`${base}/:recurring/resume`, { schema: resuming, config: PLATFORM }, async (request) => {
    const which = whichOf(outboxes, request.params)
    const { reason, missed } = request.body ?? {}
    const how = { ...operatorOf(request, reason), ...(missed && { missed }) }
    const steered = await transaction(pool, (tx) => resumeRecurring(tx, which, how))
    if (!steered) throw notNoted(which)
    return { changed: steered.changed, recurring: resourceOf(steered.status) }
  })

  app.post(`${base}/:recurring/run`, { schema: running, config: PLATFORM }, async (request) => {
    const outbox = outboxNamed(outboxes, request.params.name)
    const { recurring: name } = request.params
    const { reason, seen } = request.body ?? {}
    const how = {
      name,
      ...operatorOf(request, reason),
      ...(seen !== undefined && { seen: seen === null ? null : new Date(seen) }),
    }
    const run = await transaction(pool, (tx) => runRecurring(tx, outbox, how)).catch(refuseFailed)
    if (run.kind === 'unknown') throw notNoted({ outbox: outbox.name, name })
    if (run.kind === 'ran') {
      const detail = `${run.by} ran it at ${run.at.toISOString()}; nothing was enqueued.`
      throw problem('CONFLICT', { detail })
    }
    return { message: run.message, created: run.created }
  })
}

interface Which {
  readonly outbox: string
  readonly name: string
}

function whichOf(
  outboxes: OutboxRegistry,
  { name, recurring }: { name: string; recurring: string },
): Which {
  return { outbox: outboxNamed(outboxes, name).name, name: recurring }
}

function notNoted({ outbox, name }: Which) {
  const detail = `${outbox} has no recurring message ${name}, or no relay has started with it yet.`
  return problem('NOT_FOUND', { detail })
}

/** What the definition or the table said is what the operator needs to know. */
function refuseFailed(error: unknown): never {
  if (error instanceof PosthornError && error.code === 'RECURRING_FAILED') {
    throw problem('CONFLICT', { detail: error.message, cause: error })
  }
  throw error
}

const resourceOf = resource(Resource, {
  pausedAt: ({ paused }: RecurringStatus) => textOrNull(paused?.at),
  pausedBy: ({ paused }) => textOrNull(paused?.by),
  pauseReason: ({ paused }) => textOrNull(paused?.reason),
  runAt: ({ run }) => textOrNull(run?.at),
  runBy: ({ run }) => textOrNull(run?.by),
})
