import { transaction, uuid, type Outbox, type Transaction } from '@posthorn/engine'
import { fingerprint } from '@posthorn/engine/inbox'
import { cancel, replay } from '@posthorn/operate'
import {
  callerOf,
  decodeCursor,
  invalid,
  keyedRequest,
  PageQuery,
  pageOf,
  sortable,
  toPage,
  type App,
  type FieldError,
} from '@posthorn/http'
import type { FastifyRequest } from 'fastify'
import type { Pool } from 'pg'
import { Type, type Static } from 'typebox'
import { AuditResource, auditPage, recordAudit, type AuditEvent } from './audit.ts'
import { queueMessage, type Creation } from './creation.ts'
import {
  AttemptResource,
  DossierId,
  MESSAGE_STATES,
  MessageResource,
  NewMessage,
  toAttempt,
  toResource,
  type OutboundMessage,
  type MessageState,
} from './message.ts'
import { problem } from './problems.ts'
import type { Providers } from './providers/provider.ts'
import { countByStatus, findMessage, listAttempts, listMessages, lockMessage } from './queries.ts'

export interface RouteOptions {
  readonly pool: Pool
  readonly outbox: Outbox<OutboundMessage>
  readonly providers: Providers
}

const PATH = '/api/v1/outbound/messages'
const tags = ['messages']
const params = Type.Object({ id: Type.String({ format: 'uuid' }) })
const Id = Type.String({ format: 'uuid' })
const SORTS = sortable(['-createdAt', 'createdAt'])

const MessageQuery = Type.Object({
  ...PageQuery.properties,
  sort: SORTS.parameter,
  status: Type.Optional(Type.Enum([...MESSAGE_STATES])),
  dossierId: Type.Optional(DossierId),
  channel: Type.Optional(Type.String({ pattern: '^[a-z]{1,20}$' })),
  to: Type.Optional(Type.String({ minLength: 1, maxLength: 254 })),
  templateCode: Type.Optional(Type.String({ pattern: '^[a-z0-9_]{1,512}$' })),
  errorCode: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
  since: Type.Optional(
    Type.String({ format: 'date-time', description: 'Only items created at this time or later' }),
  ),
  until: Type.Optional(
    Type.String({ format: 'date-time', description: 'Only items created before this time' }),
  ),
})
const Stats = Type.Object({
  orgId: Type.String(),
  counts: Type.Record(Type.String(), Type.Integer()),
})
const schemas = {
  create: {
    summary: 'Queue a message, once per Idempotency-Key',
    tags,
    body: NewMessage,
    response: { 200: MessageResource, 201: MessageResource },
  },
  list: {
    summary: 'Messages of the organisation, newest first',
    tags,
    querystring: MessageQuery,
    response: { 200: pageOf(MessageResource) },
  },
  stats: { summary: 'Number of messages by state', tags, response: { 200: Stats } },
  one: { summary: 'A message', tags, params, response: { 200: MessageResource } },
  attempts: {
    summary: "A message's attempts, newest first",
    ...{ tags, params },
    querystring: PageQuery,
    response: { 200: pageOf(AttemptResource) },
  },
  audit: {
    summary: 'The history of a message, newest first',
    ...{ tags, params },
    querystring: PageQuery,
    response: { 200: pageOf(AuditResource) },
  },
  cancel: {
    summary: 'Cancel a pending message',
    ...{ tags, params },
    response: { 200: MessageResource },
  },
  retry: {
    summary: 'Send a failed message again',
    ...{ tags, params },
    response: { 200: MessageResource },
  },
}

export function messageRoutes(app: App, { pool, outbox, providers }: RouteOptions): void {
  const findOwn = async (request: FastifyRequest<{ Params: { id: string } }>) =>
    found(await findMessage(pool, { id: request.params.id, orgId: callerOf(request).org }))

  app.post(PATH, { schema: schemas.create }, async (request, reply) => {
    const { body: message } = request
    checkMessage(providers, message)
    const { org: orgId, sub: by } = callerOf(request)
    const keyed = keyedRequest(request)
    const creation = await transaction(pool, (tx) =>
      queueMessage(tx, outbox, {
        ...{ orgId, by, message },
        key: keyed?.key ?? uuid(),
        fingerprint: fingerprint({ method: 'POST', route: PATH, body: message }),
      }),
    )
    const { kind, message: stored } = requireAccepted(creation)
    return reply.code(kind === 'created' ? 201 : 200).send(toResource(stored))
  })

  app.get(PATH, { schema: schemas.list }, async (request) => {
    const { limit, cursor: _, ...filter } = request.query
    const before = SORTS.placeIn(request.query, Id)
    const orgId = callerOf(request).org
    const rows = await listMessages(pool, { ...filter, orgId, before, limit: limit + 1 })
    return SORTS.page(rows, request.query, { item: toResource, after: ({ id }) => id })
  })

  app.get(`${PATH}/stats`, { schema: schemas.stats }, async (request) => {
    const { org: orgId } = callerOf(request)
    const counted = await countByStatus(pool, orgId)
    const zeros = MESSAGE_STATES.map((state) => [state, 0] as const)
    const counts = counted.map(({ status, count }) => [status, count] as const)
    return { orgId, counts: Object.fromEntries([...zeros, ...counts]) }
  })

  app.get(`${PATH}/:id`, { schema: schemas.one }, async (request) => {
    return toResource(await findOwn(request))
  })

  app.get(`${PATH}/:id/attempts`, { schema: schemas.attempts }, async (request) => {
    const { id } = await findOwn(request)
    const { limit, cursor } = request.query
    const before = cursor === undefined ? undefined : decodeCursor(cursor, NumberCursor)[0]
    const rows = await listAttempts(pool, { messageId: id, before, limit: limit + 1 })
    return toPage(rows, limit, { item: toAttempt, after: (row) => row.attempt_no })
  })

  app.get(`${PATH}/:id/audit`, { schema: schemas.audit }, async (request) => {
    const { id: entityId, org_id: orgId } = await findOwn(request)
    return auditPage(pool, { orgId, entity: 'OUTBOUND_MESSAGE', entityId }, request.query)
  })

  app.post(`${PATH}/:id/cancel`, { schema: schemas.cancel }, (request) =>
    actOn(pool, request, {
      ...{ from: 'QUEUED', action: 'CANCELLED', details: 'Message cancelled' },
      act: (tx, id, by) => cancel(tx, outbox, { ids: [id], by }),
    }),
  )

  app.post(`${PATH}/:id/retry`, { schema: schemas.retry }, (request) =>
    actOn(pool, request, {
      ...{ from: 'FAILED', action: 'RETRIED', details: 'Message queued again' },
      act: (tx, id, by) => replay(tx, outbox, { filter: { ids: [id] }, by }),
    }),
  )
}

interface Act extends Pick<AuditEvent, 'action' | 'details'> {
  /** The only state in which it can be done. */
  readonly from: MessageState
  act(tx: Transaction, id: string, by: string): Promise<unknown>
}

/** Ends a message that still waits, or sends a failed one again as if it had never been tried. */
async function actOn(
  pool: Pool,
  request: FastifyRequest<{ Params: { id: string } }>,
  { from, act, ...event }: Act,
): Promise<Static<typeof MessageResource>> {
  const { org: orgId, sub: actor } = callerOf(request)
  const { id } = request.params
  const message = await transaction(pool, async (tx) => {
    const { status, contents_removed_at: removedAt } = found(await lockMessage(tx, { id, orgId }))
    if (status !== from) throw problem('INVALID_STATE', { detail: `The message is ${status}.` })
    // What was to be sent is no longer kept.
    if (status === 'FAILED' && removedAt !== null) {
      throw problem('CONTENTS_REMOVED', { detail: 'Send a new message instead.' })
    }
    await act(tx, id, actor)
    await recordAudit(tx, [{ orgId, entity: 'OUTBOUND_MESSAGE', entityId: id, actor, ...event }])
    return findMessage(tx, { id, orgId })
  })
  return toResource(found(message))
}

function found(message: OutboundMessage | undefined): OutboundMessage {
  if (!message) throw problem('NOT_FOUND')
  return message
}

const NumberCursor = Type.Tuple([Type.Integer({ minimum: 0, maximum: 2_147_483_647 })])

function checkMessage(providers: Providers, message: NewMessage): void {
  const provider = providers.get(message.channel)
  const channels = [...providers.keys()].join(', ')
  const errors = provider?.check(message) ?? [
    { field: 'channel', reason: `must be one of ${channels}` },
  ]
  const all = [...errors, ...scheduleErrors(message)]
  if (all.length > 0) throw invalid(all)
}

const MOST_AHEAD_MS = 90 * 86_400_000

function scheduleErrors({ sendAt }: NewMessage): FieldError[] {
  const isFar = sendAt !== undefined && Date.parse(sendAt) > Date.now() + MOST_AHEAD_MS
  return isFar ? [{ field: 'sendAt', reason: 'must be at most 90 days ahead' }] : []
}

/** The message that a request made or had made before; else a problem. */
export function requireAccepted(
  creation: Creation,
): Extract<Creation, { message: OutboundMessage }> {
  switch (creation.kind) {
    case 'created':
    case 'existing':
      return creation
    case 'reused':
      throw problem('IDEMPOTENCY_KEY_REUSED', {
        detail: 'The Idempotency-Key was used with another request. Use a new key.',
      })
    case 'consentRequired':
      throw problem('CONSENT_REQUIRED')
    case 'unfit':
      throw invalid([...creation.errors])
    case 'optedOut': {
      const { source, saidAt } = creation.withdrawal
      const how = source === 'keyword' ? 'wrote that it wants no more messages' : 'withdrew consent'
      throw problem('RECIPIENT_OPTED_OUT', {
        detail: `The recipient ${how}, on ${saidAt.toISOString()}.`,
      })
    }
    case 'accountUnknown':
      throw invalid([{ field: 'accountId', reason: 'is not an account of the organisation' }])
  }
}
