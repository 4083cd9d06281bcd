import { transaction, type Outbox } from '@posthorn/engine'
import {
  listHeldKeys,
  listPaused,
  outboxStats,
  pause,
  resume,
  unblock,
  type Paused,
} from '@posthorn/engine/operate'
import { callerOf, problem, type App } from '@posthorn/http'
import type { Pool } from 'pg'
import { Type } from 'typebox'
import { OutboxResource, statsOf } from './outbox-resource.ts'
import {
  OPERATOR,
  OptionalReason,
  OutboxName,
  OutboxParams,
  outboxNamed,
  type OutboxRegistry,
} from './outbox-registry.ts'
import { Moment, textOrNull } from './transition.ts'

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
  summary: 'Pause: relays stop claiming in every process; messages in flight finish',
  tags,
  params: OutboxParams,
  body: OptionalReason,
  response: { 200: Paused },
}

const resuming = {
  summary: 'Resume a paused outbox',
  tags,
  params: OutboxParams,
  response: { 200: Paused },
}

const keys = {
  summary: 'Keys that wait: blocked behind a dead message, or held until a retry is due',
  tags,
  params: OutboxParams,
  querystring: Type.Object({
    limit: Type.Integer({ minimum: 1, maximum: 200, default: 50 }),
  }),
  response: {
    200: Type.Object({
      items: Type.Array(
        Type.Object({
          key: Type.String(),
          blocked: Type.Boolean(),
          dueAt: Moment,
          heldBy: Type.String({ description: 'the message, or why' }),
          heldAt: Type.String({ format: 'date-time' }),
        }),
      ),
    }),
  },
}

const unblocking = {
  summary: 'Unblock a key: the messages behind its dead message are sent',
  tags,
  params: Type.Object({ name: OutboxName, key: Type.String({ minLength: 1, maxLength: 1_000 }) }),
  response: { 200: Type.Object({ unblocked: Type.Boolean() }) },
}

export function outboxRoutes(app: App, pool: Pool, outboxes: OutboxRegistry): void {
  const resourceOf = async (outbox: Outbox, pauses: Pauses) =>
    statsOf(await outboxStats(pool, outbox), pauses.get(outbox.name))
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

  app.get('/api/v1/outboxes/:name/keys', { schema: keys, config: OPERATOR }, async (request) => {
    const outbox = outboxNamed(outboxes, request.params.name)
    const held = await listHeldKeys(pool, outbox, request.query)
    return {
      items: held.map(({ key, dueAt, heldBy, heldAt }) => ({
        key,
        blocked: dueAt === undefined,
        dueAt: textOrNull(dueAt),
        heldBy,
        heldAt: heldAt.toISOString(),
      })),
    }
  })

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

type Pauses = ReadonlyMap<string, Paused>

/** A definition as data, as given to `defineOutbox` and with every default written out. */
function definitionOf(outbox: Outbox): Record<string, unknown> {
  const { statements: _statements, bell: _bell, message: _message, ...data } = outbox
  const { destination, upcasters, audit } = outbox
  return {
    ...data,
    destination: typeof destination === 'function' ? 'by row' : destination,
    upcasters: Object.keys(upcasters),
    audit: { record: audit.record, actor: audit.actor },
  }
}
