import { pageOf, PageQuery } from '@posthorn/http'
import { nullable } from '@posthorn/system'
import { Type } from 'typebox'
import { Filter } from '../filters/filter.ts'
import { EndpointHealth } from '../health/queries.ts'
import { EndpointResource, Signing } from './endpoint.ts'
import { RetryInput } from './retry.ts'

const EventTypes = Type.Array(
  Type.String({
    maxLength: 100,
    pattern: '^(\\*|[A-Za-z0-9_-]+(\\.[A-Za-z0-9_-]+)*(\\.\\*)?)$',
    description: 'Event type, a group such as `payment.*`, or `*` for all',
  }),
  { minItems: 1, maxItems: 100, uniqueItems: true },
)

const Url = Type.String({ minLength: 1, maxLength: 2_048 })

const TimeoutMs = nullable(
  Type.Integer({
    minimum: 1_000,
    maximum: 30_000,
    description:
      "Time limit of a request including its answer, in milliseconds; null: the server's setting, 15 s by default",
  }),
)

const RatePerSecond = nullable(
  Type.Integer({
    minimum: 1,
    maximum: 1_000,
    description:
      'Average requests per second from all relays together; after a quiet second as many may arrive at once. null: no limit',
  }),
)

/** What a client may say about an endpoint, beside its URL and events. */
const settings = {
  ordered: Type.Optional(
    Type.Boolean({ description: 'true: events of the same key are delivered in sequence' }),
  ),
  retry: Type.Optional(RetryInput),
  timeoutMs: Type.Optional(TimeoutMs),
  ratePerSecond: Type.Optional(RatePerSecond),
  filter: Type.Optional(
    nullable(Filter, {
      description: "Conditions on the content of events; null: all events of the endpoint's types",
    }),
  ),
}

export const Id = Type.Object({ id: Type.String({ format: 'uuid' }) })

/** Shown once: it cannot be asked for again. */
const EndpointWithSecret = Type.Object({
  ...EndpointResource.properties,
  secret: nullable(Type.String(), {
    description:
      'Secret, shown only once; null for a key pair, whose public key is in `publicKeys`',
  }),
})

const tags = ['webhooks']

/** Of one endpoint, which is the answer. */
const ofEndpoint = (summary: string) => ({
  summary,
  tags,
  params: Id,
  response: { 200: EndpointResource },
})

export const createEndpoint = {
  summary: 'Add an endpoint; only this answer contains its secret',
  tags,
  body: Type.Object({
    url: Url,
    eventTypes: EventTypes,
    ...settings,
    signing: Type.Optional(Signing),
  }),
  response: { 201: EndpointWithSecret },
}

export const listEndpoints = {
  summary: 'The endpoints, newest first',
  tags,
  querystring: PageQuery,
  response: { 200: pageOf(EndpointResource) },
}

export const getEndpoint = ofEndpoint('An endpoint')

export const patchEndpoint = {
  ...ofEndpoint('Change an endpoint'),
  body: Type.Object({
    url: Type.Optional(Url),
    eventTypes: Type.Optional(EventTypes),
    ...settings,
  }),
}

export const deleteEndpoint = {
  summary: 'Remove an endpoint; its pending deliveries are skipped',
  tags,
  params: Id,
  response: { 204: Type.Null() },
}

export const rotateSecret = {
  summary: 'Rotate the secret or key pair of an endpoint; the old one signs too for 24 hours',
  tags,
  params: Id,
  body: nullable(Type.Object({ signing: Type.Optional(Signing) })),
  response: { 200: EndpointWithSecret },
}

export const enableEndpoint = ofEndpoint('Enable an endpoint')

export const disableEndpoint = {
  ...ofEndpoint('Disable an endpoint; its pending deliveries are skipped and can be replayed'),
  body: nullable(
    Type.Object({ reason: Type.Optional(Type.String({ minLength: 1, maxLength: 500 })) }),
  ),
}

const Counts = Type.Array(Type.Number())

export const endpointCharts = {
  summary: 'Answers and failures of each endpoint over the last minutes',
  tags,
  querystring: Type.Object({
    minutes: Type.Integer({ minimum: 1, maximum: 10_080, default: 60 }),
  }),
  response: {
    200: Type.Object({
      now: Type.String({ format: 'date-time' }),
      from: Type.String({ format: 'date-time', description: 'Start of the first period' }),
      stretchSeconds: Type.Integer(),
      count: Type.Integer({ description: 'Number of periods; the last one is incomplete' }),
      items: Type.Array(
        Type.Object({ endpointId: Type.String(), answered: Counts, unanswered: Counts }),
      ),
    }),
  },
}

export const endpointHealth = {
  summary: 'Health of each endpoint, from its deliveries of the last days',
  tags,
  querystring: Type.Object({
    days: Type.Integer({ minimum: 1, maximum: 90, default: 7 }),
  }),
  response: { 200: Type.Object({ items: Type.Array(EndpointHealth) }) },
}

export const pingEndpoint = {
  summary: 'Send an event `webhook.ping` to an endpoint',
  tags,
  params: Id,
  response: { 202: Type.Object({ deliveryId: Type.String(), eventId: Type.String() }) },
}

const Window = {
  since: Type.String({ format: 'date-time' }),
  until: Type.Optional(Type.String({ format: 'date-time' })),
  dryRun: Type.Optional(Type.Boolean({ description: 'true: only count, send nothing' })),
}

const Count = Type.Object({
  count: Type.Integer(),
  dryRun: Type.Boolean(),
  more: Type.Boolean({
    description: 'True if more deliveries match than one request handles: repeat the request',
  }),
})

const sendingAgain = {
  tags,
  params: Id,
  body: Type.Object(Window),
  response: { 200: Count, 202: Count },
}

export const replayEndpoint = {
  summary: 'Resend deliveries that an endpoint missed: abandoned, or skipped while it was disabled',
  description: 'Selects by the time of the events, up to 10,000 at once.',
  ...sendingAgain,
}

export const recoverEndpoint = {
  summary: 'After an outage, send all undelivered webhooks of a period now',
  description:
    'Replays abandoned and skipped deliveries, and attempts those that wait for a retry at once. Delivered webhooks are not sent again.',
  ...sendingAgain,
}
