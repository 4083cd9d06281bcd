import { transaction, uuid, type Queryable, type Transaction } from '@posthorn/engine'
import { callerOf, decodeCursor, invalid, PageQuery, toPage, type App } from '@posthorn/http'
import type { Guard } from '@posthorn/transports/webhook'
import type { FastifyRequest } from 'fastify'
import type { Pool } from 'pg'
import { Type } from 'typebox'
import type { Sealing } from '../../../sealing.ts'
import { recordAudit } from '../audit.ts'
import { findMissed, replayDeliveries } from '../deliveries/replay.ts'
import { enqueueFor } from '../event.ts'
import { webhookDeliveries } from '../outbox.ts'
import { problem } from '../problems.ts'
import { disableEndpoint, enableEndpoint, entryOf, skipWaiting } from './control.ts'
import { endpointResource, type Endpoint } from './endpoint.ts'
import { healthResource } from './health.ts'
import {
  findEndpoint,
  insertEndpoint,
  lockEndpoint,
  markDeleted,
  selectEndpoints,
  selectHealth,
  updateEndpoint,
} from './queries.ts'
import * as schemas from './schemas.ts'
import { renewSecret } from './secrets.ts'

export interface EndpointRoutesOptions {
  readonly pool: Pool
  readonly sealing: Sealing
  readonly guard: Guard
}

const PATH = '/api/v1/webhook-endpoints'
const Before = Type.Tuple([Type.String({ format: 'uuid' })])

export function endpointRoutes(app: App, { pool, sealing, guard }: EndpointRoutesOptions): void {
  const db: Queryable = pool

  app.post(PATH, { schema: schemas.createEndpoint }, async (request, reply) => {
    const { url, eventTypes, ordered = false } = request.body
    const { org, sub } = callerOf(request)
    await checkUrl(guard, url)
    const created = await transaction(pool, async (tx) => {
      const endpoint = await insertEndpoint(tx, { id: uuid(), org, url, eventTypes, ordered })
      if (!endpoint) throw problem('ENDPOINT_LIMIT')
      await recordAudit(tx, [entryOf(endpoint, sub, 'webhook_endpoint.created')])
      return { endpoint, secret: await renewSecret(tx, sealing, endpoint.id) }
    })
    return reply.code(201).send({ ...endpointResource(created.endpoint), secret: created.secret })
  })

  app.get(
    PATH,
    { schema: { ...schemas.listEndpoints, querystring: PageQuery } },
    async (request) => {
      const { limit, cursor, status = null } = request.query
      const before = cursor === undefined ? null : decodeCursor(cursor, Before)[0]
      const page = { org: callerOf(request).org, status, before, limit: limit + 1 }
      const rows = await selectEndpoints(db, page)
      return toPage(rows, limit, { item: endpointResource, after: ({ id }) => id })
    },
  )

  app.get(`${PATH}/health`, { schema: schemas.endpointHealth }, async (request) => ({
    items: (await selectHealth(db, callerOf(request).org)).map(healthResource),
  }))

  app.get(`${PATH}/:id`, { schema: schemas.getEndpoint }, async (request) => {
    const key = { org: callerOf(request).org, id: request.params.id }
    return endpointResource(requireFound(await findEndpoint(db, key)))
  })

  /** Changes the caller's endpoint under a lock. */
  const change = <Result>(
    request: FastifyRequest<{ Params: { id: string } }>,
    work: (tx: Transaction, endpoint: Endpoint, by: string) => Promise<Result>,
  ): Promise<Result> => {
    const { org, sub } = callerOf(request)
    return transaction(pool, async (tx) =>
      work(tx, requireFound(await lockEndpoint(tx, { org, id: request.params.id })), sub),
    )
  }

  app.patch(`${PATH}/:id`, { schema: schemas.patchEndpoint }, async (request) => {
    const { url, eventTypes, ordered } = request.body
    if (url !== undefined) await checkUrl(guard, url)
    const changed = await change(request, async (tx, { id }, by) => {
      const endpoint = await updateEndpoint(tx, {
        id,
        url: url ?? null,
        eventTypes: eventTypes ?? null,
        ordered: ordered ?? null,
      })
      await recordAudit(tx, [entryOf(endpoint, by, 'webhook_endpoint.changed')])
      return endpoint
    })
    return endpointResource(changed)
  })

  app.delete(`${PATH}/:id`, { schema: schemas.deleteEndpoint }, async (request, reply) => {
    await change(request, async (tx, endpoint, by) => {
      await markDeleted(tx, endpoint.id)
      await skipWaiting(tx, webhookDeliveries, { endpointId: endpoint.id, by })
      await recordAudit(tx, [entryOf(endpoint, by, 'webhook_endpoint.deleted')])
    })
    return reply.code(204).send(null)
  })

  app.post(`${PATH}/:id/rotate-secret`, { schema: schemas.rotateSecret }, async (request) =>
    change(request, async (tx, endpoint, by) => {
      const secret = await renewSecret(tx, sealing, endpoint.id)
      await recordAudit(tx, [entryOf(endpoint, by, 'webhook_endpoint.secret_rotated')])
      return { ...endpointResource(endpoint), secret }
    }),
  )

  app.post(`${PATH}/:id/enable`, { schema: schemas.enableEndpoint }, async (request) =>
    endpointResource(
      await change(request, (tx, endpoint, by) => enableEndpoint(tx, { endpoint, by })),
    ),
  )

  app.post(`${PATH}/:id/disable`, { schema: schemas.disableEndpoint }, async (request) => {
    const reason = request.body?.reason
    const disabled = await change(request, (tx, endpoint, by) =>
      disableEndpoint(tx, webhookDeliveries, { endpoint, by, ...(reason && { reason }) }),
    )
    return endpointResource(disabled)
  })

  app.post(`${PATH}/:id/ping`, { schema: schemas.pingEndpoint }, async (request, reply) => {
    const eventId = uuid()
    const [deliveryId = ''] = await change(request, (tx, endpoint, by) => {
      const event = { org: endpoint.org_id, id: eventId, type: 'webhook.ping', data: { by } }
      return enqueueFor(tx, [requireEnabled(endpoint)], event)
    })
    return reply.code(202).send({ deliveryId, eventId })
  })

  app.post(`${PATH}/:id/replay`, { schema: schemas.replayEndpoint }, async (request, reply) => {
    const { dryRun = false } = request.body
    const period = periodOf(request.body)
    const count = await change(request, async (tx, endpoint, by) => {
      const missed = await findMissed(tx, { endpointId: endpoint.id, ...period })
      return dryRun ? missed.length : replayDeliveries(tx, requireEnabled(endpoint) && missed, by)
    })
    return reply.code(dryRun ? 200 : 202).send({ count, dryRun })
  })
}

async function checkUrl(guard: Guard, url: string): Promise<void> {
  const reason = await guard.refusalNow(url)
  if (reason === undefined) return
  throw problem('URL_NOT_ALLOWED', { detail: `url ${reason}`, errors: [{ field: 'url', reason }] })
}

function requireFound(endpoint: Endpoint | undefined): Endpoint {
  if (!endpoint) throw problem('NOT_FOUND', { detail: 'there is no such endpoint' })
  return endpoint
}

function requireEnabled(endpoint: Endpoint): Endpoint {
  if (endpoint.status === 'enabled') return endpoint
  throw problem('ENDPOINT_DISABLED', { detail: `enable it first: ${endpoint.disabled_reason}` })
}

function periodOf(body: { since: string; until?: string }): { since: Date; until: Date | null } {
  const since = new Date(body.since)
  const until = body.until === undefined ? null : new Date(body.until)
  if (until && until <= since) throw invalid([{ field: 'until', reason: 'must be after since' }])
  return { since, until }
}
