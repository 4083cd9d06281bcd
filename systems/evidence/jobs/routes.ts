import { callerOf, decodeCursor, PageQuery, pageOf, toPage, type App } from '@posthorn/http'
import type { Pool } from 'pg'
import { Type, type Static } from 'typebox'
import type { RowsOutbox } from '../outbox.ts'
import { problem } from '../problems.ts'
import { listNotifications, type NotificationRow } from '../results/queries.ts'
import { retryErrors } from '../rows/retry.ts'
import { JOB_STATES, JobResource, toJobResource } from './job.ts'
import { findJob, listJobs } from './queries.ts'

const PATH = '/api/v1/file-jobs'
const tags = ['evidence']
const params = Type.Object({ id: Type.String({ format: 'uuid' }) })
const NotificationResource = Type.Object({
  id: Type.String(),
  kind: Type.Enum(['N1', 'N2', 'REJECTED']),
  round: Type.Integer(),
  success: Type.Integer(),
  pendingRetries: Type.Integer(),
  errors: Type.Integer(),
  message: Type.String(),
  createdAt: Type.String(),
})

const schemas = {
  list: {
    summary: 'Files of the merchant, newest first',
    tags,
    querystring: Type.Object({
      ...PageQuery.properties,
      status: Type.Optional(Type.Enum([...JOB_STATES])),
    }),
    response: { 200: pageOf(JobResource) },
  },
  one: { summary: 'A file and how far it is', tags, params, response: { 200: JobResource } },
  notifications: {
    summary: "The merchant's notifications about a file, newest first",
    ...{ tags, params },
    response: { 200: pageOf(NotificationResource) },
  },
  retry: {
    summary: 'Try the errors of a file again, except rows that were bad from the start',
    ...{ tags, params },
    response: { 202: Type.Object({ requeued: Type.Integer() }) },
  },
}

const IdCursor = Type.Tuple([Type.String({ format: 'uuid' })])

export function jobRoutes(
  app: App,
  { pool, outbox }: { readonly pool: Pool; readonly outbox: RowsOutbox },
): void {
  app.get(PATH, { schema: schemas.list }, async (request) => {
    const { limit, cursor, status } = request.query
    const before = cursor === undefined ? undefined : decodeCursor(cursor, IdCursor)[0]
    const { org } = callerOf(request)
    const jobs = await listJobs(pool, { org, status, before, limit: limit + 1 })
    return toPage(jobs, limit, { item: toJobResource, after: ({ id }) => id })
  })

  app.get(`${PATH}/:id`, { schema: schemas.one }, async (request) => {
    const job = await findJob(pool, { id: request.params.id, org: callerOf(request).org })
    if (!job) throw problem('NOT_FOUND')
    return toJobResource(job)
  })

  app.get(`${PATH}/:id/notifications`, { schema: schemas.notifications }, async (request) => {
    const job = await findJob(pool, { id: request.params.id, org: callerOf(request).org })
    if (!job) throw problem('NOT_FOUND')
    const rows = await listNotifications(pool, job.id)
    return { items: rows.map(notificationResource), nextCursor: null }
  })

  app.post(`${PATH}/:id/retry-errors`, { schema: schemas.retry }, async (request, reply) => {
    const { org, sub: by } = callerOf(request)
    const key = { id: request.params.id, org, by }
    const requeued = await retryErrors(pool, outbox, key)
    if (requeued === undefined) throw problem('NOT_FOUND')
    if (requeued === 'filesRemoved') {
      throw problem('FILES_REMOVED', { detail: 'Upload the failed rows again, with their files.' })
    }
    return reply.code(202).send({ requeued })
  })
}

function notificationResource(row: NotificationRow): Static<typeof NotificationResource> {
  return {
    id: row.id,
    kind: row.kind,
    round: row.round,
    success: row.success,
    pendingRetries: row.pending_retries,
    errors: row.errors,
    message: row.message,
    createdAt: row.created_at.toISOString(),
  }
}
