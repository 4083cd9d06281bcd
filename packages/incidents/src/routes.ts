import { enqueueAll, transaction, uuid, type Transaction } from '@posthorn/engine'
import { acknowledgeAlert } from '@posthorn/operate'
import { callerOf, invalid, tenantOf, type App, defineProblems } from '@posthorn/http'
import type { Guard } from '@posthorn/transports/webhook'
import type { FastifyRequest } from 'fastify'
import type { Pool } from 'pg'
import { Type } from 'typebox'
import { nameInDetails, type NameDestinations, type Sealing } from '@posthorn/system'
import {
  addressOf,
  ChannelResource,
  channelResource,
  NewChannel,
  secretsOf,
  type Channel,
} from './channel.ts'
import { IncidentResource, incidentResource, IncidentState, type Incident } from './incident.ts'
import { notices } from './outbox.ts'
import {
  deleteChannel,
  insertChannel,
  lockIncident,
  noteOperation,
  selectChannels,
  selectIncidents,
  selectOpenAlerts,
  updateIncident,
} from './queries.ts'

export interface IncidentRoutesOptions {
  readonly pool: Pool
  readonly sealing: Sealing
  readonly guard: Guard
  readonly nameDestinations: NameDestinations
}

const OPERATE = { config: { access: 'operate' } } as const
const PATH = '/api/v1/incidents'
const CHANNELS = '/api/v1/notice-channels'
const tags = ['incidents']
const params = Type.Object({ id: Type.String({ format: 'uuid' }) })

const schemas = {
  list: {
    summary: 'Incidents: alerts grouped by cause, open ones first',
    tags,
    querystring: Type.Object({ state: Type.Optional(IncidentState) }),
    response: { 200: Type.Object({ items: Type.Array(IncidentResource) }) },
  },
  acknowledge: {
    summary: 'Acknowledge an incident and its alerts; later acknowledgements change nothing',
    ...{ tags, params },
    response: { 200: IncidentResource },
  },
  assign: {
    summary: 'Set or remove the owner of an incident',
    ...{ tags, params },
    body: Type.Object({
      owner: Type.Union([Type.String({ minLength: 1, maxLength: 200 }), Type.Null()]),
    }),
    response: { 200: IncidentResource },
  },
  snooze: {
    summary: 'Snooze an incident for a number of minutes; 0 ends the snooze',
    ...{ tags, params },
    body: Type.Object({ minutes: Type.Integer({ minimum: 0, maximum: 10_080 }) }),
    response: { 200: IncidentResource },
  },
  channels: {
    summary: 'Channels for notices of incidents',
    tags,
    response: { 200: Type.Object({ items: Type.Array(ChannelResource) }) },
  },
  create: {
    summary: 'Add a channel; its address and key are encrypted and never shown',
    tags,
    body: NewChannel,
    response: { 201: ChannelResource },
  },
  remove: {
    summary: 'Remove a channel with its notices',
    ...{ tags, params },
    response: { 204: Type.Null() },
  },
  test: {
    summary: 'Send a test notice by a channel',
    ...{ tags, params },
    response: { 202: Type.Object({ noticeId: Type.String({ format: 'uuid' }) }) },
  },
}

export function incidentRoutes(app: App, options: IncidentRoutesOptions): void {
  const { pool, nameDestinations } = options
  const scopeOf = (request: FastifyRequest) => tenantOf(callerOf(request)) ?? null

  app.get(PATH, { schema: schemas.list, ...OPERATE }, async (request) => {
    const search = { tenant: scopeOf(request), state: request.query.state ?? null, id: null }
    const found = await selectIncidents(pool, search)
    return { items: (await nameInDetails(found, nameDestinations)).map(incidentResource) }
  })

  /** Changes an incident that the caller may see, and notes who did what. */
  const change = async (
    request: FastifyRequest<{ Params: { id: string } }>,
    operation: string,
    work: (tx: Transaction, incident: Incident, by: string) => Promise<void>,
  ) => {
    const search = { tenant: scopeOf(request), state: null, id: request.params.id }
    const by = callerOf(request).sub
    return transaction(pool, async (tx) => {
      await lockIncident(tx, request.params.id)
      const [found] = await selectIncidents(tx, search)
      if (!found) throw problem('NOT_FOUND', { detail: 'there is no such incident' })
      await work(tx, found, by)
      const { source, code, tenant } = found
      await noteOperation(tx, { operation, subject: `${source} ${code}`, tenant, actor: by })
      const [changed] = await selectIncidents(tx, search)
      return incidentResource(changed ?? found)
    })
  }

  app.post(`${PATH}/:id/acknowledge`, { schema: schemas.acknowledge, ...OPERATE }, (request) =>
    change(request, 'acknowledge-incident', async (tx, incident, by) => {
      for (const id of await selectOpenAlerts(tx, incident)) await acknowledgeAlert(tx, { id, by })
      await updateIncident(tx, incident.id, { acknowledgedBy: by })
    }),
  )

  app.post(`${PATH}/:id/assign`, { schema: schemas.assign, ...OPERATE }, (request) =>
    change(request, 'assign-incident', (tx, { id }) =>
      updateIncident(tx, id, { owner: request.body.owner }),
    ),
  )

  app.post(`${PATH}/:id/snooze`, { schema: schemas.snooze, ...OPERATE }, (request) =>
    change(request, 'snooze-incident', (tx, { id }) =>
      updateIncident(tx, id, { snoozeMinutes: request.body.minutes }),
    ),
  )
  channelRoutes(app, options)
}

function channelRoutes(app: App, { pool, sealing, guard }: IncidentRoutesOptions): void {
  const scopeOf = (request: FastifyRequest) => tenantOf(callerOf(request)) ?? null
  const findChannel = async (request: FastifyRequest<{ Params: { id: string } }>) => {
    const channels = await selectChannels(pool, scopeOf(request))
    const found = channels.find(({ id }) => id === request.params.id)
    if (!found) throw problem('NOT_FOUND', { detail: 'there is no such channel' })
    return found
  }

  app.get(CHANNELS, { schema: schemas.channels, ...OPERATE }, async (request) => ({
    items: (await selectChannels(pool, scopeOf(request))).map(channelResource),
  }))

  app.post(CHANNELS, { schema: schemas.create, ...OPERATE }, async (request, reply) => {
    const { sub } = callerOf(request)
    const tenant = scopeOf(request)
    const { kind, name } = request.body
    const { address, key, shown } = addressOf(request.body)
    const refusal =
      kind === 'email' ? undefined : await guard.refusalNow(address, tenant ?? undefined)
    if (refusal !== undefined) throw invalid([{ field: 'url', reason: refusal }])
    const id = uuid()
    const secrets = secretsOf(sealing, id)
    const channel = {
      ...{ id, tenant, kind, name, shown, created_by: sub },
      sealed_address: secrets.seal('address', address),
      sealed_key: key === undefined ? null : secrets.seal('key', key),
    }
    await transaction(pool, async (tx) => {
      if (!(await insertChannel(tx, channel))) throw problem('CHANNEL_NAME_TAKEN')
      await noteOperation(tx, { operation: 'add-channel', subject: name, tenant, actor: sub })
    })
    const made: Channel = {
      ...channel,
      created_at: new Date(),
      ...{ last_status: null, last_error: null, last_at: null },
    }
    return reply.code(201).send(channelResource(made))
  })

  app.delete(`${CHANNELS}/:id`, { schema: schemas.remove, ...OPERATE }, async (request, reply) => {
    const { id, name: subject, tenant } = await findChannel(request)
    const actor = callerOf(request).sub
    await transaction(pool, async (tx) => {
      await deleteChannel(tx, id)
      await noteOperation(tx, { operation: 'remove-channel', subject, tenant, actor })
    })
    return reply.code(204).send(null)
  })

  app.post(`${CHANNELS}/:id/test`, { schema: schemas.test, ...OPERATE }, async (request, reply) => {
    const channel = await findChannel(request)
    const noticeId = uuid()
    const payload = {
      ...{
        incident: noticeId,
        source: 'posthorn',
        code: 'TEST',
        tenant: channel.tenant,
        alerts: 1,
      },
      detail: `Sent by ${callerOf(request).sub} to see whether it arrives. Nothing is wrong.`,
      openedAt: new Date().toISOString(),
    }
    await transaction(pool, (tx) =>
      enqueueAll(tx, notices, [
        {
          ...{ id: noticeId, channel_id: channel.id, incident_id: null, tenant: channel.tenant },
          kind: 'test',
          payload,
        },
      ]),
    )
    return reply.code(202).send({ noticeId })
  })
}

/** What incidents refuse, beside the codes of @posthorn/http. */
const INCIDENT_PROBLEMS = {
  CHANNEL_NAME_TAKEN: { status: 409, title: 'Another channel has this name' },
} as const

const problem = defineProblems(INCIDENT_PROBLEMS)
