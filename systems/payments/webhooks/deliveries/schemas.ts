import { PageQuery, pageOf, sortable } from '@posthorn/http'
import { Type } from 'typebox'
import { Id } from '../endpoints/schemas.ts'

const Time = Type.String({ format: 'date-time' })
const Maybe = <Schema extends Parameters<typeof Type.Array>[0]>(schema: Schema) =>
  Type.Union([schema, Type.Null()])
const Headers = Type.Record(Type.String(), Type.String())

const Status = Type.Union([
  Type.Literal('pending'),
  Type.Literal('failed'),
  Type.Literal('delivered'),
  Type.Literal('abandoned'),
  Type.Literal('skipped_disabled'),
])

const Delivery = Type.Object({
  id: Type.String(),
  endpointId: Type.String(),
  eventId: Type.String(),
  eventType: Type.String(),
  status: Status,
  attempts: Type.Integer(),
  nextAttemptAt: Maybe(Time),
  error: Maybe(Type.String()),
  errorCode: Maybe(Type.String()),
  payload: Type.Unknown({ description: 'the body of the webhook' }),
  createdAt: Time,
  deliveredAt: Maybe(Time),
})

const Attempt = Type.Object({
  id: Type.String(),
  attempt: Type.Integer(),
  startedAt: Time,
  durationMs: Maybe(Type.Integer()),
  underWay: Type.Boolean({ description: 'the answer has not come yet' }),
  request: Type.Object({
    method: Type.String(),
    url: Maybe(Type.String()),
    headers: Headers,
    body: Type.Unknown(),
  }),
  response: Maybe(
    Type.Object({
      status: Type.Integer(),
      headers: Headers,
      body: Type.String({ description: 'the first 16 KiB' }),
      encoding: Type.String({ description: 'utf8, or base64 for what is not text' }),
      truncated: Type.Boolean(),
    }),
  ),
  errorClass: Maybe(Type.String()),
  error: Maybe(Type.String()),
})

const AuditEntry = Type.Object({
  id: Type.String(),
  actor: Type.String(),
  action: Type.String(),
  details: Type.Unknown(),
  createdAt: Time,
})

const Run = Type.Object({
  id: Type.String(),
  processed: Type.Integer(),
  success: Type.Integer(),
  failed: Type.Integer(),
  ranAt: Time,
})

const tags = ['webhooks']

export const DELIVERY_SORTS = sortable(['-createdAt', 'createdAt'])

export const listDeliveries = {
  summary: 'What was or is to be delivered, newest first',
  tags,
  querystring: Type.Object({
    ...PageQuery.properties,
    sort: DELIVERY_SORTS.parameter,
    status: Type.Optional(Status),
    endpointId: Type.Optional(Type.String({ format: 'uuid' })),
    eventId: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
    eventType: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
    since: Type.Optional(Time),
    until: Type.Optional(Time),
  }),
  response: { 200: pageOf(Delivery) },
}

export const listRuns = {
  summary: 'What each run of retries did, newest first',
  tags,
  querystring: PageQuery,
  response: { 200: pageOf(Run) },
}

export const getDelivery = {
  summary: 'A delivery',
  tags,
  params: Id,
  response: { 200: Delivery },
}

export const listAttempts = {
  summary: 'Every request for a delivery and its answer, newest first',
  tags,
  params: Id,
  querystring: PageQuery,
  response: { 200: pageOf(Attempt) },
}

export const listAudit = {
  summary: 'What happened to a delivery, newest first',
  tags,
  params: Id,
  querystring: PageQuery,
  response: { 200: pageOf(AuditEntry) },
}

export const replayDelivery = {
  summary: 'Send a finished delivery again',
  tags,
  params: Id,
  response: { 202: Type.Object({ count: Type.Integer() }) },
}
