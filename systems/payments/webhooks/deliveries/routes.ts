import { transaction, type Queryable } from '@posthorn/engine'
import { callerOf, decodeCursor, toPage, type App } from '@posthorn/http'
import type { FastifyRequest } from 'fastify'
import type { Pool } from 'pg'
import { Type } from 'typebox'
import { recordAudit } from '../audit.ts'
import { findEndpoint } from '../endpoints/queries.ts'
import { CHANGE, READ } from '../portal/open.ts'
import { problem } from '../problems.ts'
import { selectAudit } from '../queries.ts'
import { attemptResource, deliveryResource, type WebhookDelivery } from './delivery.ts'
import { findDelivery, selectAttempts, selectDeliveries, selectRuns } from './queries.ts'
import { replayDeliveries } from './replay.ts'
import * as schemas from './schemas.ts'

const PATH = '/api/v1/webhook-deliveries'
const ByUuid = Type.Tuple([Type.String({ format: 'uuid' })])
const ByNumber = Type.Tuple([Type.String({ pattern: '^[0-9]{1,18}$' })])

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

  app.get(PATH, { schema: schemas.listDeliveries, ...READ }, async (request) => {
    const { limit, sort, status = null, endpointId = null, ...query } = request.query
    const { eventId = null, eventType = null, since = null, until = null } = query
    const before = schemas.DELIVERY_SORTS.placeIn(request.query, Type.String({ format: 'uuid' }))
    const { org } = callerOf(request)
    const rows = await selectDeliveries(db, {
      ...{ org, status, endpointId, eventId, eventType, since, until, before },
      ...{ sort, limit: limit + 1 },
    })
    return schemas.DELIVERY_SORTS.page(rows, request.query, {
      item: deliveryResource,
      after: ({ id }) => id,
    })
  })

  app.get(`${PATH}/runs`, { schema: schemas.listRuns, ...READ }, async (request) => {
    const { limit, cursor } = request.query
    const before = cursor === undefined ? null : decodeCursor(cursor, ByUuid)[0]
    const rows = await selectRuns(db, { org: callerOf(request).org, before, limit: limit + 1 })
    return toPage(rows, limit, {
      after: ({ id }) => id,
      item: ({ ran_at: ranAt, ...run }) => ({ ...run, ranAt: ranAt.toISOString() }),
    })
  })

  app.get(`${PATH}/:id`, { schema: schemas.getDelivery, ...READ }, async (request) =>
    deliveryResource(await own(request)),
  )

  app.get(`${PATH}/:id/attempts`, { schema: schemas.listAttempts, ...READ }, async (request) => {
    const { limit, cursor } = request.query
    const { id: deliveryId, payload } = await own(request)
    const before = cursor === undefined ? null : decodeCursor(cursor, ByUuid)[0]
    const rows = await selectAttempts(db, { deliveryId, before, limit: limit + 1 })
    return toPage(rows, limit, {
      after: ({ id }) => id,
      item: (attempt) => attemptResource(attempt, payload),
    })
  })

  app.get(`${PATH}/:id/audit`, { schema: schemas.listAudit, ...READ }, async (request) => {
    const { limit, cursor } = request.query
    const { id: deliveryId, org_id: org } = await own(request)
    const before = cursor === undefined ? null : decodeCursor(cursor, ByNumber)[0]
    const rows = await selectAudit(db, { org, deliveryId, before, limit: limit + 1 })
    return toPage(rows, limit, {
      after: ({ seq }) => seq,
      item: ({ seq: id, actor, action, details, created_at: at }) => ({
        ...{ id, actor, action, details },
        createdAt: at.toISOString(),
      }),
    })
  })

  app.post(
    `${PATH}/:id/replay`,
    { schema: schemas.replayDelivery, ...CHANGE },
    async (request, reply) => {
      const delivery = await own(request)
      const { sub } = callerOf(request)
      await checkReplayable(db, delivery)
      const count = await transaction(pool, async (tx) => {
        const replayed = await replayDeliveries(tx, [delivery], sub)
        // Another request was faster.
        if (replayed === 0) throw problem('DELIVERY_NOT_FINISHED')
        const { id, org_id: org, status } = delivery
        await recordAudit(tx, [
          {
            ...{ org, actor: sub, action: 'webhook.replayed', entityId: id },
            entityType: 'webhook_delivery',
            details: { from: status },
          },
        ])
        return replayed
      })
      return reply.code(202).send({ count })
    },
  )
}

async function checkReplayable(db: Queryable, delivery: WebhookDelivery): Promise<void> {
  const { status, org_id: org, endpoint_id: id } = delivery
  if (status === 'pending' || status === 'failed') throw problem('DELIVERY_NOT_FINISHED')
  const endpoint = await findEndpoint(db, { org, id })
  if (endpoint?.status !== 'enabled') throw problem('ENDPOINT_DISABLED')
}
