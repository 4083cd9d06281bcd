import { type Multipart, type Simulator, defineSimulator } from '@posthorn/simulators'
import { Archive, type Attachment, type Evidence, idsOf } from './archive.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'

/** A document management API that attaches evidence to cases, once for each key. */
export function documents(): Simulator {
  return defineSimulator({
    name: 'documents',
    about: 'A document store: attaches evidence to cases, once for each key.',
    open() {
      const archive = new Archive()
      return {
        routes: (app) => documentRoutes(app, archive),
        control: (app) => documentControls(app, archive),
        forget: () => archive.forget(),
      }
    },
  })
}

/** Of all files of a request together. They are hashed as they come, and not kept. */
const BODY_LIMIT = 1024 * 1024 * 1024
const MOST_LISTED = 10_000
const MOST_ID_LENGTH = 255

const REFUSALS = {
  KEY_MISSING: { status: 400, message: 'The header Idempotency-Key is required.' },
  NOT_MULTIPART: { status: 415, message: 'The body must be multipart/form-data.' },
  CASE_ID_MISSING: { status: 422, message: 'The field case_id is required, once.' },
  FILES_MISSING: { status: 422, message: 'At least one file is required in the field files.' },
  KEY_REUSED: { status: 422, message: 'The key stands for another request.' },
  CASE_REJECTED: { status: 422, message: 'The case takes no evidence.' },
  UNAVAILABLE: { status: 503, message: 'The document store does not answer now.' },
} as const
type Refusal = keyof typeof REFUSALS

/** The protocol: evidence for a case, under the caller's key. */
function documentRoutes(app: FastifyInstance, archive: Archive): void {
  app.post(
    '/attach-evidence',
    {
      bodyLimit: BODY_LIMIT,
      schema: { summary: 'Attach files to a case, once per Idempotency-Key' },
    },
    async (request, reply) => {
      const key = keyOf(request)
      if (key === undefined) return refuse(reply, 'KEY_MISSING')
      const evidence = evidenceOf(request)
      if (typeof evidence === 'string') return refuse(reply, evidence)
      const attaching = archive.attach(key, evidence)
      switch (attaching.kind) {
        case 'attached':
          return { document_mgmt_ids: idsOf(attaching.attachment) }
        case 'rejected':
          return refuse(reply, 'CASE_REJECTED')
        case 'reused':
          return refuse(reply, 'KEY_REUSED')
        case 'unavailable':
          return refuse(reply, 'UNAVAILABLE')
      }
    },
  )
}

const Lookup = Type.Object(
  {
    case_id: Type.Optional(Type.String({ maxLength: MOST_ID_LENGTH })),
    idempotency_key: Type.Optional(Type.String({ maxLength: MOST_ID_LENGTH })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MOST_LISTED, default: MOST_LISTED })),
  },
  { additionalProperties: false },
)

/** For people and tests: the API's own record, to compare with what others believe. */
function documentControls(app: FastifyInstance, archive: Archive): void {
  app.get<{ Querystring: Static<typeof Lookup> }>(
    '/attachments',
    { schema: { summary: 'Attachments, newest first', querystring: Lookup } },
    async ({ query }) => {
      const found = archive.list({ caseId: query.case_id, key: query.idempotency_key })
      const items = found.slice(0, query.limit).map(toResource)
      return { items, total: found.length }
    },
  )
}

function toResource(attachment: Attachment): Record<string, unknown> {
  return {
    idempotency_key: attachment.key,
    case_id: attachment.caseId,
    files: attachment.fileNames,
    document_mgmt_ids: idsOf(attachment),
    attached_at: new Date(attachment.attachedAt).toISOString(),
  }
}

function keyOf({ headers }: FastifyRequest): string | undefined {
  const key = headers['idempotency-key']
  const isKey = typeof key === 'string' && key !== '' && key.length <= MOST_ID_LENGTH
  return isKey ? key : undefined
}

function evidenceOf({ headers, body }: FastifyRequest): Evidence | Refusal {
  if (!/^multipart\/form-data\b/i.test(headers['content-type'] ?? '')) return 'NOT_MULTIPART'
  const { fields, files } = body as Multipart
  const caseId = fields['case_id']
  if (typeof caseId !== 'string' || caseId.trim() === '') return 'CASE_ID_MISSING'
  const evidence = files.filter(({ field }) => field === 'files')
  return evidence.length === 0 ? 'FILES_MISSING' : { caseId, files: evidence }
}

function refuse(reply: FastifyReply, code: Refusal): FastifyReply {
  const { status, message } = REFUSALS[code]
  return reply.code(status).send({ code, message })
}
