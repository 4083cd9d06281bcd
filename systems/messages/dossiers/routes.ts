import { transaction } from '@posthorn/engine'
import { callerOf, invalid, PageQuery, pageOf, type App } from '@posthorn/http'
import { Type, type Static } from 'typebox'
import { AuditResource, auditPage, pageBySeq } from '../audit.ts'
import {
  ConsentEventResource,
  toConsentEvent,
  NewConsent,
  type ConsentEventRow,
} from '../consents/consent-event.ts'
import { listConsentEvents, listLastWords } from '../consents/queries.ts'
import { NullableText, nullable, resource } from '@posthorn/system'
import { DossierId, Time } from '../message.ts'
import { problem } from '../problems.ts'
import type { RouteOptions } from '../routes.ts'
import { setConsent } from './consent.ts'
import { isDossier, listActivities, listConsents, type ConsentRow } from './queries.ts'

const PATH = '/api/v1/dossiers/:id'
const tags = ['messages']
const params = Type.Object({ id: DossierId })

const Consent = Type.Object({
  dossierId: Type.String(),
  channel: Type.String(),
  granted: Type.Boolean(),
  updatedAt: Time,
  source: nullable(Type.String(), { description: 'how it was said last' }),
  proof: NullableText,
  recipient: NullableText,
})

const consents = {
  summary: 'Which channels a dossier has granted or withdrawn, and which there are',
  ...{ tags, params },
  response: {
    200: Type.Object({ items: Type.Array(Consent), channels: Type.Array(Type.String()) }),
  },
}

const consent = {
  summary: 'Grant or withdraw consent; a withdrawal cancels what waits',
  tags,
  params: Type.Object({ id: DossierId, channel: Type.String({ pattern: '^[a-z]{1,20}$' }) }),
  body: Type.Object({
    ...NewConsent.properties,
    recipient: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 254,
        description: 'the number or address that it is about; a withdrawal of it is lifted too',
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

const Activity = Type.Object({
  id: Type.String(),
  dossierId: Type.String(),
  type: Type.String(),
  metadata: Type.Unknown(),
  createdAt: Time,
})
const toActivity = resource(Activity)

const activities = {
  summary: 'The timeline of a dossier, newest first',
  ...{ tags, params },
  querystring: PageQuery,
  response: { 200: pageOf(Activity) },
}

const audit = {
  summary: 'What is on record of a dossier, newest first',
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
    const row = await transaction(pool, (tx) =>
      setConsent(tx, outbox, { orgId, dossierId, channel, by, ...request.body }),
    )
    return consentResource(row, await listLastWords(pool, { orgId, dossierId }))
  })

  app.get(`${PATH}/consents`, { schema: consents }, async (request) => {
    // A dossier without a row has no consent yet; its first consent makes the row.
    const key = { orgId: callerOf(request).org, dossierId: request.params.id }
    const [rows, words] = await Promise.all([listConsents(pool, key), listLastWords(pool, key)])
    const items = rows.map((row) => consentResource(row, words))
    return { items, channels: [...providers.keys()] }
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

function consentResource(
  row: ConsentRow,
  words: readonly ConsentEventRow[],
): Static<typeof Consent> {
  // Consents that are older than the history have none.
  const word = words.find(({ channel }) => channel === row.channel)
  return {
    dossierId: row.dossier_id,
    channel: row.channel,
    granted: row.granted,
    updatedAt: row.updated_at.toISOString(),
    source: word?.source ?? null,
    proof: word?.proof ?? null,
    recipient: word?.recipient ?? null,
  }
}
