import { transaction } from '@posthorn/engine'
import { callerOf, invalid, PageQuery, pageOf, type App } from '@posthorn/http'
import { Type } from 'typebox'
import { AuditResource, auditPage, pageBySeq } from '../audit.ts'
import { ConsentEventResource, toConsentEvent, NewConsent } from '../consents/consent-event.ts'
import { listConsentEvents } from '../consents/queries.ts'
import { resource } from '@posthorn/system'
import { DossierId } from '../message.ts'
import { problem } from '../problems.ts'
import type { RouteOptions } from '../routes.ts'
import { setConsent } from './consent.ts'
import { Activity, Consent, isDossier, listActivities, listConsents } from './queries.ts'

const PATH = '/api/v1/dossiers/:id'
const tags = ['messages']
const params = Type.Object({ id: DossierId })

const toConsent = resource(Consent)
const consents = {
  summary: "The channels, and a dossier's consent to each",
  ...{ tags, params },
  response: {
    200: Type.Object({ items: Type.Array(Consent), channels: Type.Array(Type.String()) }),
  },
}

const consent = {
  summary: 'Grant or withdraw consent; a withdrawal cancels pending messages',
  tags,
  params: Type.Object({ id: DossierId, channel: Type.String({ pattern: '^[a-z]{1,20}$' }) }),
  body: Type.Object({
    ...NewConsent.properties,
    recipient: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 254,
        description:
          'Number or address of the consent; granting consent also lifts a withdrawal of this number or address',
      }),
    ),
  }),
  response: { 200: Consent },
}

const history = {
  summary: 'Every grant and withdrawal of a dossier, newest first',
  ...{ tags, params },
  querystring: PageQuery,
  response: { 200: pageOf(ConsentEventResource) },
}

const toActivity = resource(Activity)

const activities = {
  summary: 'The timeline of a dossier, newest first',
  ...{ tags, params },
  querystring: PageQuery,
  response: { 200: pageOf(Activity) },
}

const audit = {
  summary: 'The audit of a dossier, newest first',
  ...{ tags, params },
  querystring: PageQuery,
  response: { 200: pageOf(AuditResource) },
}

export function dossierRoutes(app: App, { pool, outbox, providers }: RouteOptions): void {
  app.put(`${PATH}/consents/:channel`, { schema: consent }, async (request) => {
    const { id: dossierId, channel } = request.params
    if (!providers.has(channel)) {
      const channels = [...providers.keys()].join(', ')
      throw invalid([{ field: 'channel', reason: `must be one of ${channels}` }])
    }
    const { org: orgId, sub: by } = callerOf(request)
    const key = { orgId, dossierId, channel }
    const [row] = await transaction(pool, async (tx) => {
      await setConsent(tx, outbox, { ...key, by, ...request.body })
      return listConsents(tx, key)
    })
    return toConsent(row as NonNullable<typeof row>)
  })

  app.get(`${PATH}/consents`, { schema: consents }, async (request) => {
    // A dossier without a row has no consent yet; its first consent makes the row.
    const key = { orgId: callerOf(request).org, dossierId: request.params.id }
    const rows = await listConsents(pool, key)
    return { items: rows.map(toConsent), channels: [...providers.keys()] }
  })

  app.get(`${PATH}/consent-history`, { schema: history }, async (request) => {
    const { org: orgId } = callerOf(request)
    const { id: dossierId } = request.params
    if (!(await isDossier(pool, { orgId, dossierId }))) throw problem('NOT_FOUND')
    return pageBySeq(request.query, toConsentEvent, (page) =>
      listConsentEvents(pool, { orgId, of: { dossierId }, ...page }),
    )
  })

  app.get(`${PATH}/activities`, { schema: activities }, async (request) => {
    const { org: orgId } = callerOf(request)
    const { id: dossierId } = request.params
    if (!(await isDossier(pool, { orgId, dossierId }))) throw problem('NOT_FOUND')
    return pageBySeq(request.query, toActivity, (page) =>
      listActivities(pool, { orgId, dossierId, ...page }),
    )
  })

  app.get(`${PATH}/audit`, { schema: audit }, async (request) => {
    const { org: orgId } = callerOf(request)
    const { id: entityId } = request.params
    const page = await auditPage(pool, { orgId, entity: 'DOSSIER', entityId }, request.query)
    // A refusal for a dossier without a row is recorded all the same.
    const isKnown = page.items.length > 0 || (await isDossier(pool, { orgId, dossierId: entityId }))
    if (!isKnown) throw problem('NOT_FOUND')
    return page
  })
}
