import { invalid, type App } from '@posthorn/http'
import { Type } from 'typebox'
import { findEventType, sampleOf } from '../event-types/catalogue.ts'
import { explainFilter, Filter, matchesFilter } from './filter.ts'

const tryFilter = {
  summary: 'Try a filter on a sample of the catalogue or on an event of your own; nothing is sent',
  tags: ['webhooks'],
  body: Type.Object({
    filter: Filter,
    eventType: Type.Optional(Type.String({ maxLength: 100, description: 'of the catalogue' })),
    event: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  }),
  response: {
    200: Type.Object({
      matches: Type.Boolean({ description: 'whether an endpoint with the filter gets the event' }),
      conditions: Type.Array(
        Type.Object({
          path: Type.String(),
          holds: Type.Boolean(),
          found: Type.Optional(Type.Unknown({ description: 'left out where there is nothing' })),
        }),
      ),
      event: Type.Unknown({ description: 'the body that was tried' }),
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
      throw invalid([{ field: 'eventType', reason: 'must be of the catalogue; or give an event' }])
    }
    const conditions = explainFilter(filter, event)
    return { matches: matchesFilter(filter, event), conditions, event }
  })
}
