import { transaction, type Queryable } from '@posthorn/engine'
import { callerOf, decodeCursor, toPage, PageQuery, pageOf, type App } from '@posthorn/http'
import type { FastifyRequest } from 'fastify'
import type { Pool } from 'pg'
import { Type } from 'typebox'
import { auditPage } from '../../audit-page.ts'
import { recordAudit } from '../../queries.ts'
import { findEndpoint } from '../endpoints/queries.ts'
import { CHANGE, READ } from '../portal/routes.ts'
import { problem } from '../../problems.ts'
import {
  attemptResource,
  AttemptResource,
  DELIVERY_SORTS,
  DeliveryQuery,
  deliveryResource,
  DeliveryResource,
  runResource,
  RunResource,
  type WebhookDelivery,
} from './delivery.ts'
import { findDelivery, selectAttempts, selectDeliveries, selectRuns } from './queries.ts'
import { replayDeliveries } from './replay.ts'
import { Id } from '../endpoints/schemas.ts'

const AuditEntry = Type.Object({
  id: Type.String(),
  actor: Type.String(),
  action: Type.String(),
  details: Type.Unknown(),
  createdAt: Type.String({ format: 'date-time' }),
})

const tags = ['webhooks']

const listDeliveries = {
  summary: 'Deliveries, pending and ended, newest first',
  tags,
  querystring: DeliveryQuery,
  response: { 200: pageOf(DeliveryResource) },
}

const listRuns = {
  summary: 'Runs of the retry job, newest first',
  tags,
  querystring: PageQuery,
  response: { 200: pageOf(RunResource) },
}

const getDelivery = {
  summary: 'A delivery',
  tags,
  params: Id,
  response: { 200: DeliveryResource },
}

const listAttempts = {
  summary: 'Every request for a delivery and its answer, newest first',
  tags,
  params: Id,
  querystring: PageQuery,
  response: { 200: pageOf(AttemptResource) },
}

const listAudit = {
  summary: 'The history of a delivery, newest first',
  tags,
  params: Id,
  querystring: PageQuery,
  response: { 200: pageOf(AuditEntry) },
}

const replayDelivery = {
  summary: 'Send a finished delivery again',
  tags,
  params: Id,
  response: { 202: Type.Object({ count: Type.Integer() }) },
}

const PATH = '/api/v1/webhook-deliveries'
const ByUuid = Type.Tuple([Type.String({ format: 'uuid' })])

export function deliveryRoutes(app: App, pool: Pool): void {
  const db: Queryable = pool

  const own = async (request: FastifyRequest<{ Params: { id: string } }>) => {
    const delivery = await findDelivery(db, {
      org: callerOf(request).org,
      id: request.params.id,
    })
    if (!delivery) throw problem('NOT_FOUND', { detail: 'there is no such delivery' })
    return delivery
  }

  app.get(PATH, { schema: listDeliveries, ...READ }, async (request) => {
    const { query } = request
    const before = DELIVERY_SORTS.placeIn(query, Type.String({ format: 'uuid' }))
    const page = { ...query, org: callerOf(request).org, before, limit: query.limit + 1 }
    const rows = await selectDeliveries(db, page)
    return DELIVERY_SORTS.page(rows, query, { item: deliveryResource, after: ({ id }) => id })
  })

  app.get(`${PATH}/runs`, { schema: listRuns, ...READ }, async (request) => {
    const { limit, cursor } = request.query
    const before = cursor === undefined ? undefined : decodeCursor(cursor, ByUuid)[0]
    const rows = await selectRuns(db, { org: callerOf(request).org, before, limit: limit + 1 })
    return toPage(rows, limit, { after: ({ id }) => id, item: runResource })
  })

  app.get(`${PATH}/:id`, { schema: getDelivery, ...READ }, async (request) =>
    deliveryResource(await own(request)),
  )

  app.get(`${PATH}/:id/attempts`, { schema: listAttempts, ...READ }, async (request) => {
    const { limit, cursor } = request.query
    const { id: deliveryId, payload } = await own(request)
    const before = cursor === undefined ? undefined : decodeCursor(cursor, ByUuid)[0]
    const rows = await selectAttempts(db, { deliveryId, before, limit: limit + 1 })
    return toPage(rows, limit, {
      after: ({ id }) => id,
      item: (attempt) => attemptResource({ ...attempt, payload }),
    })
  })

  app.get(`${PATH}/:id/audit`, { schema: listAudit, ...READ }, async (request) => {
    const { id: entityId, org_id: org } = await own(request)
    return auditPage(db, { org, entity: 'webhook_delivery', entityId }, request.query)
  })

  app.post(`${PATH}/:id/replay`, { schema: replayDelivery, ...CHANGE }, async (request, reply) => {
    const delivery = await own(request)
    const { sub } = callerOf(request)
    await checkReplayable(db, delivery)
    const count = await transaction(pool, async (tx) => {
      const replayed = await replayDeliveries(tx, [delivery], sub)
      // Another request was faster.
      if (replayed === 0) throw problem('DELIVERY_NOT_FINISHED')
      const { id, org_id: org, status } = delivery
      await recordAudit(tx, {
        ...{ org, actor: sub, action: 'webhook.replayed', details: { from: status } },
        ...{ entity: 'webhook_delivery', entityId: id },
      })
      return replayed
    })
    return reply.code(202).send({ count })
  })
}

async function checkReplayable(db: Queryable, delivery: WebhookDelivery): Promise<void> {
  const { status, org_id: org, endpoint_id: id } = delivery
  if (status === 'pending' || status === 'failed') throw problem('DELIVERY_NOT_FINISHED')
  const endpoint = await findEndpoint(db, { org, id })
  if (endpoint?.status !== 'enabled') throw problem('ENDPOINT_DISABLED')
}
