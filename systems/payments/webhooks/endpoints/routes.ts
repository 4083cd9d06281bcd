import { transaction, uuid, type Queryable, type Transaction } from '@posthorn/engine'
import { callerOf, decodeCursor, invalid, toPage, type App } from '@posthorn/http'
import type { Guard } from '@posthorn/transports/webhook'
import type { FastifyRequest } from 'fastify'
import type { Pool } from 'pg'
import { Type } from 'typebox'
import { type Sealing, readDestinationCharts } from '@posthorn/system'
import { recordAudit } from '../../queries.ts'
import { MOST_AT_ONCE, selectMissed, selectRetries } from '../deliveries/queries.ts'
import { hastenRetries, replayDeliveries } from '../deliveries/replay.ts'
import { enqueueFor } from '../event.ts'
import { destinationNamed, webhookDeliveries } from '../outbox.ts'
import { CHANGE, READ } from '../portal/routes.ts'
import { problem } from '../../problems.ts'
import { disableEndpoint, enableEndpoint, entryOf, skipWaiting } from './control.ts'
import { healthResource, selectHealth } from '../health/queries.ts'
import { endpointResource, retryOf, type Endpoint } from './endpoint.ts'
import { readRetry } from './retry.ts'
import {
  findEndpoint,
  insertEndpoint,
  lockEndpoint,
  markDeleted,
  markSigning,
  selectEndpointIds,
  selectEndpoints,
  updateEndpoint,
} from './queries.ts'
import * as schemas from './schemas.ts'
import { renewSecret, sealUrl, type NewSecret } from './sealed.ts'

export interface EndpointRoutesOptions {
  readonly pool: Pool
  readonly sealing: Sealing
  readonly guard: Guard
}

const PATH = '/api/v1/webhook-endpoints'
const Before = Type.Tuple([Type.String({ format: 'uuid' })])

export function endpointRoutes(app: App, { pool, sealing, guard }: EndpointRoutesOptions): void {
  const db: Queryable = pool

  app.post(PATH, { schema: schemas.createEndpoint, ...CHANGE }, async (request, reply) => {
    const { signing = 'hmac', url, eventTypes, retry = null, ...settings } = request.body
    const { org, sub } = callerOf(request)
    await checkUrl(guard, url, org)
    const id = uuid()
    const created = await transaction(pool, async (tx) => {
      const endpoint = await insertEndpoint(tx, {
        ...{ id, org, signing, eventTypes, retry: readRetry(retry) },
        ...sealUrl(url, { sealing, endpointId: id }),
        ...{ ordered: false, timeoutMs: null, ratePerSecond: null, filter: null, ...settings },
      })
      if (!endpoint) throw problem('ENDPOINT_LIMIT')
      await recordAudit(tx, entryOf(endpoint, sub, 'webhook_endpoint.created'))
      return withSecret(endpoint, await renewSecret(tx, sealing, endpoint))
    })
    return reply.code(201).send(created)
  })

  app.get(PATH, { schema: schemas.listEndpoints, ...READ }, async (request) => {
    const { limit, cursor, status } = request.query
    const before = cursor === undefined ? undefined : decodeCursor(cursor, Before)[0]
    const page = { org: callerOf(request).org, status, before, limit: limit + 1 }
    const rows = await selectEndpoints(db, page)
    return toPage(rows, limit, { item: endpointResource, after: ({ id }) => id })
  })

  app.get(`${PATH}/health`, { schema: schemas.endpointHealth, ...READ }, async (request) => {
    const period = { org: callerOf(request).org, days: request.query.days }
    return { items: (await selectHealth(db, period)).map(healthResource) }
  })

  app.get(`${PATH}/charts`, { schema: schemas.endpointCharts, ...READ }, async (request) => {
    const ids = await selectEndpointIds(db, callerOf(request).org)
    const of = { outbox: webhookDeliveries.name, destinations: ids.map(destinationNamed) }
    const charts = await readDestinationCharts(db, of, request.query)
    const { now, from, stretchSeconds, count, destinations } = charts
    return {
      ...{ now: now.toISOString(), from: from.toISOString(), stretchSeconds, count },
      items: destinations.map(({ destination, ...counts }) => {
        const endpointId = destination.slice(destinationNamed('').length)
        return { endpointId, answered: [...counts.answered], unanswered: [...counts.unanswered] }
      }),
    }
  })

  app.get(`${PATH}/:id`, { schema: schemas.getEndpoint, ...READ }, async (request) => {
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

  app.patch(`${PATH}/:id`, { schema: schemas.patchEndpoint, ...CHANGE }, async (request) => {
    const { url, retry, ...settings } = request.body
    if (url !== undefined) await checkUrl(guard, url, callerOf(request).org)
    const changed = await change(request, async (tx, before, by) => {
      const { id, ordered, filter } = before
      const endpoint = await updateEndpoint(tx, id, {
        ...(url === undefined
          ? { url: before.url, url_query: before.url_query }
          : sealUrl(url, { sealing, endpointId: id, before })),
        retry: retry === undefined ? retryOf(before) : readRetry(retry),
        ...{ ordered, filter, eventTypes: before.event_types },
        ...{ timeoutMs: before.timeout_ms, ratePerSecond: before.rate_per_second },
        ...settings,
      })
      await recordAudit(tx, entryOf(endpoint, by, 'webhook_endpoint.changed'))
      return endpoint
    })
    return endpointResource(changed)
  })

  app.delete(
    `${PATH}/:id`,
    { schema: schemas.deleteEndpoint, ...CHANGE },
    async (request, reply) => {
      await change(request, async (tx, endpoint, by) => {
        await markDeleted(tx, endpoint.id)
        await skipWaiting(tx, webhookDeliveries, { endpointId: endpoint.id, by })
        await recordAudit(tx, entryOf(endpoint, by, 'webhook_endpoint.deleted'))
      })
      return reply.code(204).send(null)
    },
  )

  app.post(
    `${PATH}/:id/rotate-secret`,
    { schema: schemas.rotateSecret, ...CHANGE },
    async (request) =>
      change(request, async (tx, before, by) => {
        const signing = request.body?.signing ?? before.signing
        const renewed = await renewSecret(tx, sealing, { id: before.id, signing })
        const endpoint = await markSigning(tx, { id: before.id, signing })
        await recordAudit(tx, entryOf(endpoint, by, 'webhook_endpoint.secret_rotated'))
        return { ...endpointResource(endpoint), secret: renewed.secret }
      }),
  )

  app.post(`${PATH}/:id/enable`, { schema: schemas.enableEndpoint, ...CHANGE }, async (request) =>
    endpointResource(
      await change(request, (tx, endpoint, by) => enableEndpoint(tx, { endpoint, by })),
    ),
  )

  app.post(
    `${PATH}/:id/disable`,
    { schema: schemas.disableEndpoint, ...CHANGE },
    async (request) => {
      const reason = request.body?.reason
      const disabled = await change(request, (tx, endpoint, by) =>
        disableEndpoint(tx, webhookDeliveries, { endpoint, by, reason }),
      )
      return endpointResource(disabled)
    },
  )

  app.post(
    `${PATH}/:id/ping`,
    { schema: schemas.pingEndpoint, ...CHANGE },
    async (request, reply) => {
      const eventId = uuid()
      const [deliveryId = ''] = await change(request, (tx, endpoint, by) => {
        const event = { org: endpoint.org_id, id: eventId, type: 'webhook.ping', data: { by } }
        return enqueueFor(tx, [requireEnabled(endpoint)], event)
      })
      return reply.code(202).send({ deliveryId, eventId })
    },
  )

  /** Sends again what an endpoint missed in a time, or counts it. */
  const sendAgain = async (
    request: FastifyRequest<{ Params: { id: string } }>,
    { dryRun = false, retries, ...times }: Window,
  ) => {
    const period = readPeriod(times)
    return change(request, async (tx, endpoint, by) => {
      const window = { endpointId: endpoint.id, ...period }
      if (!dryRun) requireEnabled(endpoint)
      const missed = await selectMissed(tx, window)
      const waiting = retries === 'at once' ? await selectRetries(tx, window) : []
      const more = missed.length === MOST_AT_ONCE || waiting.length === MOST_AT_ONCE
      if (dryRun) return { count: missed.length + waiting.length, dryRun, more }
      const sent = await replayDeliveries(tx, missed, by)
      return { count: sent + (await hastenRetries(tx, waiting)), dryRun, more }
    })
  }

  for (const { path, schema, retries } of SENDING_AGAIN) {
    app.post(`${PATH}/:id/${path}`, { schema, ...CHANGE }, async (request, reply) => {
      const result = await sendAgain(request, { ...request.body, retries })
      return reply.code(result.dryRun ? 200 : 202).send(result)
    })
  }
}

/** What becomes of deliveries that wait for another attempt: they wait on, or go at once. */
const SENDING_AGAIN = [
  { path: 'replay', schema: schemas.replayEndpoint, retries: 'wait' },
  { path: 'recover', schema: schemas.recoverEndpoint, retries: 'at once' },
] as const

interface Window {
  readonly since: string
  readonly until?: string
  readonly dryRun?: boolean
  readonly retries: 'wait' | 'at once'
}

function withSecret(endpoint: Endpoint, { secret, publicKey }: NewSecret) {
  const publicKeys = publicKey === null ? [] : [publicKey]
  return { ...endpointResource(endpoint), publicKeys, secret }
}

async function checkUrl(guard: Guard, url: string, org: string): Promise<void> {
  const reason = await guard.refusalNow(url, org)
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

function readPeriod(body: { since: string; until?: string }): { since: Date; until: Date | null } {
  const since = new Date(body.since)
  const until = body.until === undefined ? null : new Date(body.until)
  if (until && until <= since) throw invalid([{ field: 'until', reason: 'must be after since' }])
  return { since, until }
}
