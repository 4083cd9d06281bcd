import { transaction, uuid } from '@posthorn/engine'
import { getErasure, requestErasure, type Erasure } from '@posthorn/operate'
import {
  countErasure,
  listErasures,
  namesPerson,
  type Subject,
  type SubjectKind,
} from '@posthorn/operate/internal'
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
import { NullableText, resource } from '@posthorn/system'
import { Type, type Static } from 'typebox'
import { sealSubject } from '../../retention.ts'
import type { OperatorParts } from '../index.ts'
import { ADMIN } from './retention.ts'
import { Moment } from '../outboxes/outbox-registry.ts'

const KINDS = ['email', 'phone', 'externalId', 'dossierId'] as const satisfies SubjectKind[]

const SubjectBody = Type.Object(
  {
    email: Type.Optional(Type.String({ maxLength: 254, pattern: '^[^\\s@]+@[^\\s@]+$' })),
    phone: Type.Optional(
      Type.String({
        maxLength: 30,
        pattern: '^\\+?(?:[ ().-]*\\d){7,15}[ ().-]*$',
        description: 'Phone number with country code, such as +16505551234',
      }),
    ),
    externalId: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 255,
        description: 'External id of a payment or statement line, or the id of a case',
      }),
    ),
    dossierId: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
  },
  { description: 'Exactly one of these fields' },
)

const ErasureResource = Type.Object({
  id: Type.String({ format: 'uuid' }),
  subjectKind: Type.Enum([...KINDS]),
  status: Type.Enum(['running', 'waiting', 'done']),
  reason: NullableText,
  requestedBy: Type.String(),
  requestedAt: Type.String({ format: 'date-time' }),
  finishedAt: Moment,
  erased: Type.Integer({ description: 'Rows overwritten so far' }),
  lookedAt: Type.Integer({ description: 'Rows read so far' }),
  inFlight: Type.Integer({ description: 'Rows in flight, to be overwritten afterwards' }),
  held: Type.Integer({ description: 'Rows under a legal hold, kept until its release' }),
})

const tags = ['retention']
const PATH = '/api/v1/erasures'
const schemas = {
  list: {
    summary: 'Erasures of the organisation, newest first',
    tags,
    querystring: PageQuery,
    response: { 200: pageOf(ErasureResource) },
  },
  ask: {
    summary: "Erase a person's data in all systems for good",
    description:
      'Overwrites texts, payloads and files that name the person; keeps amounts, counts and the audit. Rows in flight or under a legal hold are erased later. The reason is kept, so it must not name the person. Repeating the request during an erasure returns that erasure with 200.',
    tags,
    body: Type.Object({
      subject: SubjectBody,
      reason: Type.Optional(Type.String({ minLength: 1, maxLength: 1_000 })),
    }),
    response: { 200: ErasureResource, 202: ErasureResource },
  },
  count: {
    summary: 'Count what an erasure would overwrite, without erasing',
    tags,
    body: Type.Object({ subject: SubjectBody }),
    response: {
      200: Type.Object({
        rows: Type.Integer({ description: 'Number of rows that name the person' }),
        held: Type.Integer({ description: 'Number of these rows that are under a legal hold' }),
        isWhole: Type.Boolean({ description: 'False if the time limit ended the count early' }),
      }),
    },
  },
  one: {
    summary: 'The progress of an erasure',
    tags,
    params: Type.Object({ id: Type.String({ format: 'uuid' }) }),
    response: { 200: ErasureResource },
  },
}

export function erasureRoutes(app: App, { pool, retention, sealing }: OperatorParts): void {
  app.get(PATH, { schema: schemas.list, config: ADMIN }, async (request) => {
    const { limit, cursor } = request.query
    const erasures = await listErasures(pool, {
      tenant: callerOf(request).org,
      ...(cursor !== undefined && { before: decodeCursor(cursor, IdCursor)[0] }),
      limit: limit + 1,
    })
    return toPage(erasures, limit, { item: resourceOf, after: ({ id }) => id })
  })

  app.get(`${PATH}/:id`, { schema: schemas.one, config: ADMIN }, async (request) => {
    const erasure = await getErasure(pool, request.params.id)
    if (erasure?.tenant !== callerOf(request).org) throw problem('NOT_FOUND')
    return resourceOf(erasure)
  })

  const find = async (tenant: string, body: Static<typeof SubjectBody>): Promise<Subject> => {
    const who = subjectIn(body)
    return { ...who, also: (await retention.resolve?.(pool, { tenant, ...who })) ?? [] }
  }

  app.post(`${PATH}/count`, { schema: schemas.count, config: ADMIN }, async (request) => {
    const { org: tenant } = callerOf(request)
    const subject = await find(tenant, request.body.subject)
    return countErasure(pool, { tenant, subject, tables: retention.personal ?? [] })
  })

  app.post(PATH, { schema: schemas.ask, config: ADMIN }, async (request, reply) => {
    const { org: tenant, sub: by } = callerOf(request)
    const who = await find(tenant, request.body.subject)
    const { reason = null } = request.body
    if (reason !== null && namesPerson(reason, who)) {
      throw invalid([{ field: 'reason', reason: 'is kept, and must not name the person' }])
    }
    const id = uuid()
    const { created, erasure } = await transaction(pool, (tx) =>
      requestErasure(tx, {
        ...{ id, tenant, by, kind: who.kind },
        reason,
        digest: sealing.digest(`${tenant}\n${who.kind}\n${who.value.toLowerCase()}`, 'erasure'),
        sealed: sealSubject(sealing, id, who),
      }),
    )
    return reply.code(created ? 202 : 200).send(resourceOf(erasure))
  })
}

const IdCursor = Type.Tuple([Type.String({ format: 'uuid' })])

function subjectIn(body: Static<typeof SubjectBody>): Subject {
  const given = KINDS.flatMap((kind) => {
    const value = body[kind]
    return value === undefined ? [] : [{ kind, value }]
  })
  const [subject] = given
  if (!subject || given.length > 1) {
    throw invalid([{ field: 'subject', reason: `must have one of ${KINDS.join(', ')}` }])
  }
  return subject
}

const resourceOf = resource<typeof ErasureResource, Erasure>(ErasureResource)
