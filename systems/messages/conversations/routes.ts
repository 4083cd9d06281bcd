import { transaction, uuid } from '@posthorn/engine'
import { fingerprint } from '@posthorn/engine/inbox'
import {
  callerOf,
  decodeCursor,
  keyedRequest,
  PageQuery,
  pageOf,
  toPage,
  type App,
} from '@posthorn/http'
import { Type } from 'typebox'
import { pageBySeq } from '../audit.ts'
import { ConsentEventResource, toConsentEvent, NewConsent } from '../consents/consent-event.ts'
import { findWithdrawals, listConsentEvents } from '../consents/queries.ts'
import { setRecipientConsent } from '../consents/recipient-consent.ts'
import { DossierId, MessageResource, toResource } from '../message.ts'
import { problem } from '../problems.ts'
import { requireAccepted, type RouteOptions } from '../routes.ts'
import {
  ConversationResource,
  ThreadItem,
  toConversation,
  toThreadItem,
  type ConversationRow,
} from './conversation.ts'
import {
  findConversation,
  listConversations,
  listThread,
  type ConversationKey,
  type Place,
} from './queries.ts'
import { queueAnswer } from './session.ts'

const PATH = '/api/v1/conversations'
const tags = ['messages']
const params = Type.Object({ id: Type.String({ format: 'uuid' }) })
const { limit, cursor } = PageQuery.properties
const ConversationQuery = Type.Object({
  ...{ limit, cursor },
  recipient: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 254,
      description: 'Phone number in E.164 format, such as +16505551234',
    }),
  ),
  dossierId: Type.Optional(DossierId),
})
const ThreadQuery = Type.Object({ limit, cursor })

/** WhatsApp takes no longer text. */
const LONGEST_TEXT = 4_096

const NewAnswer = Type.Object({
  text: Type.String({ minLength: 1, maxLength: LONGEST_TEXT, pattern: '\\S' }),
  maxAttempts: Type.Integer({ minimum: 1, maximum: 6, default: 5 }),
})

const schemas = {
  list: {
    summary: 'Conversations of the organisation, last active first',
    tags,
    querystring: ConversationQuery,
    response: { 200: pageOf(ConversationResource) },
  },
  one: {
    summary: 'A conversation, with the time until which free text is allowed',
    ...{ tags, params },
    response: { 200: ConversationResource },
  },
  thread: {
    summary: 'Messages in both directions, newest last; the cursor returns older ones',
    ...{ tags, params },
    querystring: ThreadQuery,
    response: { 200: pageOf(ThreadItem) },
  },
  answer: {
    summary: "Send free text within 24 hours of the person's last message",
    ...{ tags, params },
    body: NewAnswer,
    response: { 200: MessageResource, 201: MessageResource },
  },
  consents: {
    summary: "A person's consents and withdrawals, newest first",
    ...{ tags, params },
    querystring: ThreadQuery,
    response: { 200: pageOf(ConsentEventResource) },
  },
  consent: {
    summary: 'Record consent or its withdrawal; a withdrawal cancels pending messages',
    ...{ tags, params },
    body: NewConsent,
    response: { 200: ConversationResource },
  },
}

const PlaceCursor = Type.Tuple([
  Type.Tuple([Type.String({ pattern: '^\\d{1,16}$' }), Type.String({ format: 'uuid' })]),
])

export function conversationRoutes(app: App, { pool, outbox }: RouteOptions): void {
  const findOwn = async (key: ConversationKey) => {
    const found = await findConversation(pool, key)
    if (!found) throw problem('NOT_FOUND')
    return found
  }
  const show = async (
    rows: readonly Omit<ConversationRow, 'withdrawn_at' | 'withdrawn_source'>[],
  ) => {
    const withdrawals = await findWithdrawals(
      pool,
      rows.map(({ org_id: orgId, channel, recipient }) => ({ orgId, channel, recipient })),
    )
    return rows.map((row, i) => {
      const { saidAt = null, source = null } = withdrawals[i] ?? {}
      return toConversation({ ...row, withdrawn_at: saidAt, withdrawn_source: source })
    })
  }
  const showOne = async (key: ConversationKey) => {
    const [shown] = await show([await findOwn(key)])
    if (!shown) throw problem('NOT_FOUND')
    return shown
  }

  app.get(PATH, { schema: schemas.list }, async (request) => {
    const { limit: most, cursor: from, recipient, dossierId } = request.query
    const { org: orgId } = callerOf(request)
    const page = { orgId, recipient, dossierId, before: placeOf(from), limit: most + 1 }
    const rows = await listConversations(pool, page)
    const { items, nextCursor } = toPage(rows, most, { item: (row) => row, after: placeAfter })
    return { items: await show(items), nextCursor }
  })

  app.get(`${PATH}/:id`, { schema: schemas.one }, (request) =>
    showOne({ id: request.params.id, orgId: callerOf(request).org }),
  )

  app.get(`${PATH}/:id/messages`, { schema: schemas.thread }, async (request) => {
    const conversation = await findOwn({ id: request.params.id, orgId: callerOf(request).org })
    const { limit: most, cursor: from } = request.query
    const page = { conversation, before: placeOf(from), limit: most + 1 }
    const rows = await listThread(pool, page)
    const { items, nextCursor } = toPage(rows, most, { item: toThreadItem, after: placeAfter })
    return { items: items.toReversed(), nextCursor }
  })

  app.post(`${PATH}/:id/messages`, { schema: schemas.answer }, async (request, reply) => {
    const { org: orgId, sub: by } = callerOf(request)
    const { id } = request.params
    const { text, maxAttempts } = request.body
    const keyed = keyedRequest(request)
    const answering = await transaction(pool, (tx) =>
      queueAnswer(tx, outbox, {
        ...{ conversation: { id, orgId }, by, text, maxAttempts },
        key: keyed?.key ?? uuid(),
        fingerprint: fingerprint({ method: 'POST', route: `${PATH}/${id}`, body: request.body }),
      }),
    )
    if (answering.kind === 'missing') throw problem('NOT_FOUND')
    if (answering.kind === 'sessionClosed') {
      throw problem('SESSION_CLOSED', {
        detail: `Free text could be sent until ${answering.until.toISOString()}, 24 hours after the person's last message. Send a template.`,
      })
    }
    const { kind, message } = requireAccepted(answering)
    return reply.code(kind === 'created' ? 201 : 200).send(toResource(message))
  })

  app.get(`${PATH}/:id/consents`, { schema: schemas.consents }, async (request) => {
    const { org: orgId } = callerOf(request)
    const { recipient } = await findOwn({ id: request.params.id, orgId })
    return pageBySeq(request.query, toConsentEvent, (page) =>
      listConsentEvents(pool, { orgId, of: { recipient }, ...page }),
    )
  })

  app.put(`${PATH}/:id/consent`, { schema: schemas.consent }, async (request) => {
    const { org: orgId, sub: by } = callerOf(request)
    const { id } = request.params
    const { channel, recipient } = await findOwn({ id, orgId })
    await transaction(pool, (tx) =>
      setRecipientConsent(tx, outbox, {
        ...{ orgId, channel, recipient, by, ...request.body },
        said: { entity: 'CONVERSATION', entityId: id },
      }),
    )
    return showOne({ id, orgId })
  })
}

function placeOf(cursorText: string | undefined): Place | undefined {
  if (cursorText === undefined) return undefined
  const [[micros, id]] = decodeCursor(cursorText, PlaceCursor)
  return { micros, id }
}

function placeAfter({ micros, id }: Place): [string, string] {
  return [micros, id]
}
