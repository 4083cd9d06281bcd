import { transaction } from '@posthorn/engine'
import { listHolds, placeHold, releaseHold, type LegalHold } from '@posthorn/operate'
import {
  callerOf,
  decodeCursor,
  invalid,
  PageQuery,
  pageOf,
  problem,
  toPage,
  type App,
} from '@posthorn/http'
import { nullable, NullableText, resource } from '@posthorn/system'
import { Type } from 'typebox'
import type { OperatorParts } from '../index.ts'
import { ADMIN } from './retention.ts'
import { Moment } from '../outboxes/outbox-registry.ts'

const Reason = Type.String({ minLength: 1, maxLength: 1_000, pattern: '\\S' })

const HoldResource = Type.Object({
  id: Type.String({ format: 'uuid' }),
  kind: Type.String({ description: 'Type of the object, such as payment; or organisation' }),
  subject: nullable(Type.String(), { description: 'Id of the object' }),
  reason: Type.String(),
  placedBy: Type.String(),
  placedAt: Type.String({ format: 'date-time' }),
  releasedBy: NullableText,
  releasedAt: Moment,
  releaseReason: NullableText,
})

const tags = ['retention']
const PATH = '/api/v1/legal-holds'

export function legalHoldRoutes(app: App, { pool, retention }: OperatorParts): void {
  const kinds = ['organisation', ...Object.keys(retention.things ?? {})]
  const schemas = {
    list: {
      summary: 'Legal holds of the organisation, newest first',
      tags,
      querystring: Type.Object({
        ...PageQuery.properties,
        status: Type.Optional(Type.Union([Type.Literal('open'), Type.Literal('released')])),
      }),
      response: { 200: pageOf(HoldResource) },
    },
    place: {
      summary: 'Exempt the organisation or one of its objects from retention and erasure',
      description: 'If an equal hold is already open, it is returned with 200.',
      tags,
      body: Type.Object(
        {
          kind: Type.Enum(kinds),
          subject: Type.Optional(
            Type.String({ minLength: 1, maxLength: 200, description: 'Id of the object' }),
          ),
          reason: Reason,
        },
        {
          documented: {
            if: { properties: { kind: { const: 'organisation' } } },
            then: { properties: { subject: false } },
            else: { required: ['subject'] },
          },
        },
      ),
      response: { 200: HoldResource, 201: HoldResource },
    },
    release: {
      summary: 'Release a legal hold',
      tags,
      params: Type.Object({ id: Type.String({ format: 'uuid' }) }),
      body: Type.Object({ reason: Reason }),
      response: { 200: HoldResource },
    },
  }

  app.get(PATH, { schema: schemas.list, config: ADMIN }, async (request) => {
    const { limit, cursor, status } = request.query
    const holds = await listHolds(pool, {
      tenant: callerOf(request).org,
      ...(status !== undefined && { open: status === 'open' }),
      ...(cursor !== undefined && { before: decodeCursor(cursor, IdCursor)[0] }),
      limit: limit + 1,
    })
    return toPage(holds, limit, { item: resourceOf, after: ({ id }) => id })
  })

  app.post(PATH, { schema: schemas.place, config: ADMIN }, async (request, reply) => {
    const { org: tenant, sub: by } = callerOf(request)
    const { kind, subject, reason } = request.body
    const wanted = { tenant, kind, reason, by, ...(subject !== undefined && { subject }) }
    const placed = await transaction(pool, (tx) => placeHold(tx, retention, wanted))
    switch (placed.kind) {
      case 'unknownKind': {
        const isWhole = kind === 'organisation'
        const rule = isWhole ? 'must be left out for an organisation' : 'is required'
        throw invalid([{ field: 'subject', reason: rule }])
      }
      case 'unknownThing':
        throw problem('NOT_FOUND', { detail: `There is no ${kind} with this id.` })
      case 'placed':
      case 'existing':
        return reply.code(placed.kind === 'placed' ? 201 : 200).send(resourceOf(placed.hold))
    }
  })

  app.post(`${PATH}/:id/release`, { schema: schemas.release, config: ADMIN }, async (request) => {
    const { org: tenant, sub: by } = callerOf(request)
    const { reason } = request.body
    const release = { id: request.params.id, tenant, by, reason }
    const hold = await transaction(pool, (tx) => releaseHold(tx, release))
    if (!hold) throw problem('NOT_FOUND')
    return resourceOf(hold)
  })
}

const IdCursor = Type.Tuple([Type.String({ format: 'uuid' })])

const resourceOf = resource<typeof HoldResource, LegalHold>(HoldResource)
