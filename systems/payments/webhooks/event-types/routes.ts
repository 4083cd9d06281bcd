import type { App } from '@posthorn/http'
import { Type } from 'typebox'
import { READ } from '../portal/open.ts'
import { problem } from '../problems.ts'
import { EVENT_TYPES, findEventType, sampleOf, schemaOf, type EventType } from './catalogue.ts'

const PATH = '/api/v1/event-types'
const tags = ['webhooks']

const EventTypeResource = Type.Object({
  type: Type.String(),
  version: Type.Integer({ description: 'of the shape of `data`' }),
  about: Type.String(),
  sample: Type.Unknown({ description: 'a whole body' }),
  schema: Type.Unknown({ description: 'JSON Schema of the whole body' }),
})

const listEventTypes = {
  summary: 'Every type of event that webhooks carry, with its JSON Schema and a sample',
  tags,
  response: { 200: Type.Object({ items: Type.Array(EventTypeResource) }) },
}

const getEventType = {
  summary: 'One type of event',
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
