import { PageQuery, pageOf, sortable } from '@posthorn/http'
import { Type } from 'typebox'

const Status = Type.Enum([
  'applied',
  'unchanged',
  'parked',
  'forbidden',
  'mismatch',
  'kept',
  'unknown_payment',
])
const Nullable = Type.Union([Type.String(), Type.Null()])
const Time = Type.String({ format: 'date-time' })

const Event = Type.Object({
  id: Type.String({ description: 'the gateway’s own' }),
  type: Type.String(),
  status: Status,
  reason: Type.Union([Type.String(), Type.Null()], {
    description: 'why it waits, contradicts or does not fit',
  }),
  source: Type.Enum(['webhook', 'lookup'], {
    description: 'lookup: the gateway was asked, since its webhook did not come',
  }),
  paymentId: Nullable,
  gatewayRef: Type.Union([Type.String(), Type.Null()], {
    description: 'what it names, if it names no payment',
  }),
  receivedAt: Type.String(),
  decidedAt: Type.String({ description: 'when it got its status' }),
  appliedAt: Nullable,
})

const WholeEvent = Type.Object({
  ...Event.properties,
  body: Type.String({ description: 'as it came, byte for byte' }),
})

const tags = ['payments']
const params = Type.Object({ id: Type.String({ minLength: 1, maxLength: 255 }) })

export const EVENT_SORTS = sortable(['-receivedAt', 'receivedAt'])

export const listEvents = {
  tags,
  summary:
    'Events of the gateway, newest first; with unknown_payment, for platform operators, those that name no payment here',
  querystring: Type.Object({
    ...PageQuery.properties,
    sort: EVENT_SORTS.parameter,
    status: Type.Optional(Status),
    type: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
    paymentId: Type.Optional(Type.String({ format: 'uuid' })),
    since: Type.Optional(Time),
    until: Type.Optional(Time),
  }),
  response: { 200: pageOf(Event) },
}

export const readEvent = {
  tags,
  summary: 'An event of the gateway, as it came and what was decided',
  params,
  response: { 200: WholeEvent },
}

export const reprocessEvent = {
  tags,
  summary: 'Decide about an event again, by what is known now',
  params,
  response: { 200: WholeEvent },
}
