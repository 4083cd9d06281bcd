import { invalid, type App } from '@posthorn/http'
import { Type } from 'typebox'
import {
  findEventType,
  sampleOf,
  EVENT_TYPES,
  schemaOf,
  type EventType,
} from '../event-types/catalogue.ts'
import { explainFilter, Filter, matchesFilter } from './filter.ts'
import { READ } from '../portal/routes.ts'
import { problem } from '../../problems.ts'

const PATH = '/api/v1/event-types'
const tags = ['webhooks']

const EventTypeResource = Type.Object({
  type: Type.String(),
  version: Type.Integer({ description: 'Version of the shape of `data`' }),
  about: Type.String(),
  sample: Type.Unknown({ description: 'Sample of a request body' }),
  schema: Type.Unknown({ description: 'JSON Schema of the request body' }),
})

const listEventTypes = {
  summary: 'Every type of event that webhooks carry, with its JSON Schema and a sample',
  tags,
  response: { 200: Type.Object({ items: Type.Array(EventTypeResource) }) },
}

const getEventType = {
  summary: 'A type of event',
  tags,
  params: Type.Object({ type: Type.String({ minLength: 1, maxLength: 100 }) }),
  response: { 200: EventTypeResource },
}

export function eventTypeRoutes(app: App): void {
  app.get(PATH, { schema: listEventTypes, ...READ }, async () => ({
    items: EVENT_TYPES.map(describe),
  }))

  app.get(`${PATH}/:type`, { schema: getEventType, ...READ }, async (request) => {
    const found = findEventType(request.params.type)
    if (!found) throw problem('NOT_FOUND', { detail: 'there is no such type of event' })
    return describe(found)
  })
}

function describe(eventType: EventType) {
  const { type, version, about } = eventType
  return { type, version, about, sample: sampleOf(eventType), schema: schemaOf(eventType) }
}

const tryFilter = {
  summary: 'Test a filter on a sample of the catalogue or on your own event; sends nothing',
  tags: ['webhooks'],
  body: Type.Object(
    {
      filter: Filter,
      eventType: Type.Optional(
        Type.String({
          maxLength: 100,
          description: 'Event type in the catalogue',
          documented: { enum: EVENT_TYPES.map(({ type }) => type) },
        }),
      ),
      event: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    },
    { documented: { anyOf: [{ required: ['eventType'] }, { required: ['event'] }] } },
  ),
  response: {
    200: Type.Object({
      matches: Type.Boolean({
        description: 'Whether an endpoint with this filter receives the event',
      }),
      conditions: Type.Array(
        Type.Object({
          path: Type.String(),
          holds: Type.Boolean(),
          found: Type.Optional(
            Type.Unknown({ description: 'Value at the path; absent if there is none' }),
          ),
        }),
      ),
      event: Type.Unknown({ description: 'Body that was tested' }),
    }),
  },
}

export function filterRoutes(app: App): void {
  const config = { access: 'read', portal: 'read' } as const
  app.post('/api/v1/webhook-filters/test', { schema: tryFilter, config }, async (request) => {
    const { filter, eventType, event: own } = request.body
    const known = eventType === undefined ? undefined : findEventType(eventType)
    const event = own ?? (known && sampleOf(known))
    if (event === undefined) {
      throw invalid([
        {
          field: 'eventType',
          reason: 'must be an event type of the catalogue, or omit it and give an event',
        },
      ])
    }
    const conditions = explainFilter(filter, event)
    return { matches: matchesFilter(filter, event), conditions, event }
  })
}
