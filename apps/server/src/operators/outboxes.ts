import type { Outbox, OutboxStats } from '@posthorn/engine'
import { listPaused, outboxStats, pause, resume, transaction, unblock } from '@posthorn/engine'
import type { App } from '@posthorn/http'
import { callerOf, problem } from '@posthorn/http'
import type { Pool } from 'pg'
import { Type } from 'typebox'
import { definitionOf } from './definition.ts'
import type { Registered } from './registered.ts'
import { OPERATOR, OptionalReason, OutboxName, OutboxParams, outboxNamed } from './registered.ts'

const OutboxResource = Type.Object({
  name: Type.String(),
  states: Type.Array(Type.String()),
  counts: Type.Record(Type.String(), Type.Integer()),
  approximate: Type.Boolean(),
  oldestDueSeconds: Type.Number(),
  perSecond: Type.Number(),
  failureRate: Type.Number(),
  relays: Type.Integer(),
  paused: Type.Boolean(),
  pausedBy: Type.Union([Type.String(), Type.Null()]),
  pausedAt: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
  pauseReason: Type.Union([Type.String(), Type.Null()]),
  heldKeys: Type.Integer(),
  blockedKeys: Type.Integer(),
  quarantined: Type.Integer(),
})

const tags = ['outboxes']

const list = {
  summary: 'Every outbox and how it is doing',
  tags,
  response: { 200: Type.Object({ items: Type.Array(OutboxResource) }) },
}

const show = {
  summary: 'One outbox with its definition',
  tags,
  params: OutboxParams,
  response: {
    200: Type.Object({
      ...OutboxResource.properties,
      definition: Type.Record(Type.String(), Type.Unknown()),
    }),
  },
}

const Paused = Type.Object({ name: Type.String(), paused: Type.Boolean() })

const pausing = {
  summary: 'Stop all claims, in every process; what is under way ends',
  tags,
  params: OutboxParams,
  body: OptionalReason,
  response: { 200: Paused },
}

const resuming = {
  summary: 'Let claims go on',
  tags,
  params: OutboxParams,
  response: { 200: Paused },
}

const unblocking = {
  summary: 'Let what waits behind a dead message of its key go on without it',
  tags,
  params: Type.Object({ name: OutboxName, key: Type.String({ minLength: 1, maxLength: 1_000 }) }),
  response: { 200: Type.Object({ unblocked: Type.Boolean() }) },
}

export function outboxRoutes(app: App, pool: Pool, outboxes: Registered): void {
  const resourceOf = async (outbox: Outbox, pauses: Pauses) =>
    withPause(await outboxStats(pool, outbox), pauses)
  const readPauses = async (): Promise<Pauses> =>
    new Map((await listPaused(pool)).map((each) => [each.outbox, each]))

  app.get('/api/v1/outboxes', { schema: list, config: OPERATOR }, async () => {
    const pauses = await readPauses()
    return {
      items: await Promise.all([...outboxes.values()].map((each) => resourceOf(each, pauses))),
    }
  })

  app.get('/api/v1/outboxes/:name', { schema: show, config: OPERATOR }, async (request) => {
    const outbox = outboxNamed(outboxes, request.params.name)
    const resource = await resourceOf(outbox, await readPauses())
    return { ...resource, definition: definitionOf(outbox) }
  })

  app.post(
    '/api/v1/outboxes/:name/pause',
    { schema: pausing, config: OPERATOR },
    async (request) => {
      const { name } = outboxNamed(outboxes, request.params.name)
      const reason = request.body?.reason
      const by = callerOf(request).sub
      await transaction(pool, (tx) => pause(tx, { name }, { by, ...(reason && { reason }) }))
      return { name, paused: true }
    },
  )

  app.post(
    '/api/v1/outboxes/:name/resume',
    { schema: resuming, config: OPERATOR },
    async (request) => {
      const outbox = outboxNamed(outboxes, request.params.name)
      await transaction(pool, (tx) => resume(tx, outbox, { by: callerOf(request).sub }))
      return { name: outbox.name, paused: false }
    },
  )

  app.post(
    '/api/v1/outboxes/:name/keys/:key/unblock',
    { schema: unblocking, config: OPERATOR },
    async (request) => {
      const outbox = outboxNamed(outboxes, request.params.name)
      if (!outbox.order) {
        throw problem('CONFLICT', { detail: `${outbox.name} has no order: no key can be blocked` })
      }
      const blocked = { key: request.params.key, by: callerOf(request).sub }
      return { unblocked: await transaction(pool, (tx) => unblock(tx, outbox, blocked)) }
    },
  )
}

type Pauses = ReadonlyMap<string, Awaited<ReturnType<typeof listPaused>>[number]>

function withPause(stats: OutboxStats, pauses: Pauses) {
  const found = pauses.get(stats.name)
  return {
    ...stats,
    states: [...stats.states],
    counts: { ...stats.counts },
    pausedBy: found?.pausedBy ?? null,
    pausedAt: found?.pausedAt.toISOString() ?? null,
    pauseReason: found?.reason ?? null,
  }
}
