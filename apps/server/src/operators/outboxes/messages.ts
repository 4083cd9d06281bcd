import { transaction, type Outbox } from '@posthorn/engine'
import {
  cancel,
  getMessage,
  listMessages,
  replay,
  viewMessage,
  type MessageDetails,
  type MessageSummary,
} from '@posthorn/operate'
import { listAllMessages } from '@posthorn/operate/internal'
import { PageQuery, callerOf, pageOf, problem, sortable, type App } from '@posthorn/http'
import { nullable, NullableText, resource } from '@posthorn/system'
import type { FastifyRequest } from 'fastify'
import { Type, type Static } from 'typebox'
import type { OperatorParts } from '../index.ts'
import {
  OPERATOR,
  OptionalReason,
  OutboxName,
  OutboxParams,
  isWithin,
  operatorOf,
  outboxFor,
  scopeOf,
  timeSortOf,
  withDates,
  withinScope,
  Moment,
  TransitionResource,
} from './outbox-registry.ts'

const PATH = '/api/v1/outboxes/:name/messages'

const Summary = {
  id: Type.String(),
  state: Type.String(),
  label: nullable(Type.String(), {
    description: 'Label from the definition, such as the case, order or recipient',
  }),
  type: NullableText,
  key: NullableText,
  tenant: NullableText,
  createdAt: Moment,
  dueAt: Moment,
  attempts: Type.Integer({ description: 'Attempts made, including the successful one' }),
  error: NullableText,
  errorCode: NullableText,
  claimedUntil: Moment,
  quarantinedAt: Moment,
  held: Type.Boolean(),
}

const SummaryResource = Type.Object(Summary)
export const summaryOf = resource<typeof SummaryResource, MessageSummary>(SummaryResource)

const SHORT = { minLength: 1, maxLength: 1_000 }
const Filter = Type.String(SHORT)
const Time = Type.String({ format: 'date-time' })

const tags = ['outboxes']

const MessageQuery = Type.Object({
  ...PageQuery.properties,
  sort: sortable(['-createdAt', 'createdAt']).parameter,
  search: Type.Optional(
    Type.String({
      ...SHORT,
      description: 'Text to find in the row; reads every row, so it can be slow',
    }),
  ),
  id: Type.Optional(Filter),
  tenant: Type.Optional(Filter),
  key: Type.Optional(Filter),
  type: Type.Optional(Filter),
  code: Type.Optional(Type.String({ ...SHORT, description: 'Error code of the last failure' })),
  error: Type.Optional(
    Type.String({
      ...SHORT,
      description: 'Text to find in the last failure; reads every row, so it can be slow',
    }),
  ),
  since: Type.Optional(Time),
  until: Type.Optional(Time),
})

/** What the query asks for, within what the caller may see. */
export function filterOf(
  request: FastifyRequest,
  { status, sort, ...filter }: Static<typeof MessageQuery>,
) {
  return withinScope(request, {
    ...withDates(filter),
    sort: timeSortOf(sort),
    ...(status !== undefined && { state: status }),
  })
}

const list = {
  summary: 'Messages of an outbox, newest first',
  tags,
  params: OutboxParams,
  querystring: MessageQuery,
  response: { 200: pageOf(SummaryResource) },
}

export const MessageParams = Type.Object({
  name: OutboxName,
  id: Type.String({ minLength: 1, maxLength: 200 }),
})

const Details = Type.Object({
  ...Summary,
  archivedAt: Moment,
  encryption: Type.Union(
    [
      Type.Literal('none'),
      Type.Literal('encrypted'),
      Type.Literal('erased'),
      Type.Literal('revealed'),
    ],
    {
      description: 'How the payload is stored; `revealed`: stored encrypted, shown decrypted here',
    },
  ),
  message: nullable(Type.Record(Type.String(), Type.Unknown())),
  unreadable: NullableText,
  row: Type.Record(Type.String(), Type.Unknown()),
  transitions: Type.Array(TransitionResource),
})

const resourceOf = resource<typeof Details, MessageDetails>(Details)

const show = {
  summary: 'A message: payload, headers, attempts, transitions',
  tags,
  params: MessageParams,
  response: { 200: Details },
}

const revealing = {
  summary: 'A message with its payload decrypted; the audit records who asked and why',
  tags,
  params: MessageParams,
  body: Type.Object({ reason: Type.String({ minLength: 1, maxLength: 1_000, pattern: '\\S' }) }),
  response: { 200: Details },
}

const replaying = {
  summary: 'Replay a dead message, with zero attempts',
  tags,
  params: MessageParams,
  body: OptionalReason,
  response: { 202: Type.Object({ count: Type.Integer() }) },
}

const cancelling = {
  summary: 'End a pending or dead message',
  tags,
  params: MessageParams,
  body: OptionalReason,
  response: { 200: Type.Object({ count: Type.Integer() }) },
}

export function messageRoutes(app: App, { pool, outboxes }: OperatorParts): void {
  /** The message, or 404, also for another organisation's. */
  const findMessageRow = async (
    request: FastifyRequest<{ Params: Static<typeof MessageParams> }>,
  ) => {
    const { name, id } = request.params
    const outbox = outboxFor(request, outboxes, name)
    const message = await getMessage(pool, outbox, id)
    if (!message || !isWithin(scopeOf(request), message))
      throw problem('NOT_FOUND', { detail: `${name} has no such message` })
    return { outbox, message }
  }

  app.get(PATH, { schema: list, config: OPERATOR }, async (request) => {
    const outbox = outboxFor(request, outboxes, request.params.name)
    const wanted = filterOf(request, request.query)
    const { items, nextCursor } = await listMessages(pool, outbox, wanted)
    return { items: items.map(summaryOf), nextCursor: nextCursor ?? null }
  })

  app.get(`${PATH}/:id`, { schema: show, config: OPERATOR }, async (request) => {
    const { outbox, message } = await findMessageRow(request)
    return detailsOf(outbox, message)
  })

  app.post(`${PATH}/:id/reveal`, { schema: revealing, config: OPERATOR }, async (request) => {
    // Whose it is must be known before it is opened.
    const { outbox, message } = await findMessageRow(request)
    const reveal = { by: callerOf(request).sub, reason: request.body.reason }
    const revealed = await getMessage(pool, outbox, message.id, { reveal })
    return detailsOf(outbox, revealed ?? message)
  })

  app.post(
    `${PATH}/:id/replay`,
    { schema: replaying, config: OPERATOR },
    async (request, reply) => {
      const { outbox, message } = await findMessageRow(request)
      const operator = operatorOf(request, request.body?.reason)
      const options = { filter: { ids: [message.id] }, ...operator }
      const ids = await transaction(pool, (tx) => replay(tx, outbox, options))
      if (ids.length === 0) throw wrongState(message, 'replayed', 'dead or quarantined')
      return reply.code(202).send({ count: ids.length })
    },
  )

  app.post(`${PATH}/:id/cancel`, { schema: cancelling, config: OPERATOR }, async (request) => {
    const { outbox, message } = await findMessageRow(request)
    if (outbox.states.cancelled === undefined) {
      throw problem('CONFLICT', { detail: `messages of ${outbox.name} cannot be cancelled` })
    }
    const operator = operatorOf(request, request.body?.reason)
    const ids = await transaction(pool, (tx) =>
      cancel(tx, outbox, { ids: [message.id], ...operator }),
    )
    if (ids.length === 0) throw wrongState(message, 'cancelled', 'waiting or dead')
    return { count: ids.length }
  })
}

function wrongState({ state, archivedAt }: MessageDetails, verb: string, when: string) {
  const where = archivedAt ? 'archived' : state
  return problem('CONFLICT', { detail: `the message is ${where}: only a ${when} one is ${verb}` })
}

function detailsOf(outbox: Outbox, details: MessageDetails) {
  const { message, destination, unreadable, row } = viewMessage(outbox, details.row)
  const shown = { ...details, unreadable, row }
  return { ...resourceOf(shown), message: message ? { ...message, destination } : null }
}

/** It has a place in every outbox. */
const Cursor = Type.String({
  minLength: 1,
  maxLength: 10_000,
  description: '`nextCursor` of the previous page',
})

const listAll = {
  summary: 'Messages of all outboxes together, newest first',
  description: 'Outboxes without the column that a filter needs return no messages.',
  tags,
  querystring: Type.Object({
    ...MessageQuery.properties,
    cursor: Type.Optional(Cursor),
    outbox: Type.Optional(OutboxName),
  }),
  response: { 200: pageOf(Type.Object({ ...Summary, outbox: Type.String() })) },
}

export function allMessageRoutes(app: App, { pool, outboxes }: OperatorParts): void {
  app.get('/api/v1/messages', { schema: listAll, config: OPERATOR }, async (request) => {
    const { outbox: name, ...query } = request.query
    const asked = name === undefined ? [...outboxes.values()] : [outboxFor(request, outboxes, name)]
    const { items, nextCursor } = await listAllMessages(pool, asked, filterOf(request, query))
    return {
      items: items.map((item) => ({ ...summaryOf(item), outbox: item.outbox })),
      nextCursor: nextCursor ?? null,
    }
  })
}
