import { acknowledgeAlert, listAlerts, type Alert } from '@posthorn/operate'
import { transaction } from '@posthorn/engine'
import { PageQuery, callerOf, pageOf, problem, sortable, type App } from '@posthorn/http'
import { nameInDetails, NullableText, resource } from '@posthorn/system'
import { Type } from 'typebox'
import type { OperatorParts } from './index.ts'
import {
  FilterText,
  Moment,
  OPERATOR,
  scopeOf,
  timeSortOf,
  withinScope,
} from './outboxes/outbox-registry.ts'

const State = Type.Union([
  Type.Literal('open'),
  Type.Literal('acknowledged'),
  Type.Literal('recovered'),
])

const AlertResource = Type.Object({
  id: Type.String(),
  source: Type.String(),
  subject: Type.String(),
  tenant: NullableText,
  code: Type.String(),
  detail: Type.String(),
  status: State,
  raisedAt: Type.String({ format: 'date-time' }),
  acknowledgedAt: Moment,
  acknowledgedBy: NullableText,
  recoveredAt: Moment,
})

const tags = ['alerts']

const list = {
  summary: 'Alerts that need an operator, newest first',
  tags,
  querystring: Type.Object({
    ...PageQuery.properties,
    sort: sortable(['-raisedAt', 'raisedAt']).parameter,
    status: Type.Optional(State),
    source: FilterText,
    code: FilterText,
    tenant: FilterText,
  }),
  response: { 200: pageOf(AlertResource) },
}

const acknowledging = {
  summary: 'Acknowledge an alert; later acknowledgements change nothing',
  tags,
  params: Type.Object({ id: Type.String({ minLength: 1, maxLength: 40 }) }),
  response: { 200: AlertResource },
}

export function alertRoutes(app: App, { pool, nameDestinations }: OperatorParts): void {
  app.get('/api/v1/alerts', { schema: list, config: OPERATOR }, async (request) => {
    const { status, sort, ...filter } = request.query
    const wanted = withinScope(request, {
      ...filter,
      sort: timeSortOf(sort),
      ...(status !== undefined && { state: status }),
    })
    const { items, nextCursor } = await listAlerts(pool, wanted)
    const named = await nameInDetails(items, nameDestinations)
    return { items: named.map(resourceOf), nextCursor: nextCursor ?? null }
  })

  app.post(
    '/api/v1/alerts/:id/acknowledge',
    { schema: acknowledging, config: OPERATOR },
    async (request) => {
      const seen = { id: request.params.id, by: callerOf(request).sub, ...scopeOf(request) }
      const alert = await transaction(pool, (tx) => acknowledgeAlert(tx, seen))
      if (!alert) throw problem('NOT_FOUND', { detail: 'there is no such alert' })
      return resourceOf(alert)
    },
  )
}

const resourceOf = resource(AlertResource, { status: ({ state }: Alert) => state })
