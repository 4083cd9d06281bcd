import { transaction, type Outbox } from '@posthorn/engine'
import { countTenantMessages } from '@posthorn/operate/internal'
import { listHeldKeys, listPaused, outboxStats, pause, resume, unblock } from '@posthorn/operate'
import { type Paused } from '@posthorn/engine/internal'
import { callerOf, problem, type App } from '@posthorn/http'
import { Type } from 'typebox'
import type { OperatorParts } from '../index.ts'
import { ScopedOutboxResource, ownStatsOf, statsOf, wordsOf } from './outbox-resource.ts'
import {
  OPERATOR,
  OptionalReason,
  OutboxName,
  OutboxParams,
  PLATFORM,
  operatorOf,
  outboxFor,
  outboxNamed,
  scopeOf,
  type Scope,
  Moment,
  textOrNull,
} from './outbox-registry.ts'

const PATH = '/api/v1/outboxes'
const tags = ['outboxes']

const list = {
  summary: 'Outboxes with counts and rates; operators of one organisation get its figures only',
  tags,
  response: { 200: Type.Object({ items: Type.Array(ScopedOutboxResource) }) },
}

const show = {
  summary: 'An outbox with its definition',
  tags,
  params: OutboxParams,
  response: {
    200: Type.Object({
      ...ScopedOutboxResource.properties,
      definition: Type.Record(Type.String(), Type.Unknown()),
    }),
  },
}

const Paused = Type.Object({ name: Type.String(), paused: Type.Boolean() })

const pausing = {
  summary: 'Pause an outbox: relays stop claiming in every process; messages in flight finish',
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
  summary: 'Keys held back: blocked by a dead message, or waiting for a retry',
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
          heldBy: Type.String({
            description: 'Id of the message that holds the key back, or the reason',
          }),
          heldAt: Type.String({ format: 'date-time' }),
        }),
      ),
    }),
  },
}

const unblocking = {
  summary: 'Unblock a key, so that the messages behind its dead message are sent',
  tags,
  params: Type.Object({ name: OutboxName, key: Type.String({ minLength: 1, maxLength: 1_000 }) }),
  response: { 200: Type.Object({ unblocked: Type.Boolean() }) },
}

export function outboxRoutes(app: App, { pool, outboxes }: OperatorParts): void {
  const resourceOf = async (outbox: Outbox, pauses: Pauses, { tenant }: Scope) => {
    const paused = pauses.get(outbox.name)
    const stats = await outboxStats(pool, outbox)
    const roles = wordsOf(outbox)
    if (tenant === undefined) return { ...statsOf(stats, paused), roles }
    const own = await countTenantMessages(pool, outbox, tenant)
    return { ...ownStatsOf(stats, own, paused), roles }
  }
  const readPauses = async (): Promise<Pauses> =>
    new Map((await listPaused(pool)).map((each) => [each.outbox, each]))

  app.get(PATH, { schema: list, config: OPERATOR }, async (request) => {
    const pauses = await readPauses()
    const scope = scopeOf(request)
    const shown = [...outboxes.values()].filter(
      ({ columns }) => scope.tenant === undefined || columns.tenant !== undefined,
    )
    return { items: await Promise.all(shown.map((each) => resourceOf(each, pauses, scope))) }
  })

  app.get(`${PATH}/:name`, { schema: show, config: OPERATOR }, async (request) => {
    const outbox = outboxFor(request, outboxes, request.params.name)
    const resource = await resourceOf(outbox, await readPauses(), scopeOf(request))
    return { ...resource, definition: definitionOf(outbox) }
  })

  app.post(`${PATH}/:name/pause`, { schema: pausing, config: PLATFORM }, async (request) => {
    const { name } = outboxNamed(outboxes, request.params.name)
    const operator = operatorOf(request, request.body?.reason)
    await transaction(pool, (tx) => pause(tx, { name }, operator))
    return { name, paused: true }
  })

  app.post(`${PATH}/:name/resume`, { schema: resuming, config: PLATFORM }, async (request) => {
    const outbox = outboxNamed(outboxes, request.params.name)
    await transaction(pool, (tx) => resume(tx, outbox, { by: callerOf(request).sub }))
    return { name: outbox.name, paused: false }
  })

  app.get(`${PATH}/:name/keys`, { schema: keys, config: PLATFORM }, async (request) => {
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
    `${PATH}/:name/keys/:key/unblock`,
    { schema: unblocking, config: PLATFORM },
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
  const { bell: _bell, message: _message, ...data } = outbox
  const { destination, upcasters, audit } = outbox
  return {
    ...data,
    destination: typeof destination === 'function' ? 'by row' : destination,
    upcasters: Object.keys(upcasters),
    audit: { record: audit.record, actor: audit.actor },
  }
}
