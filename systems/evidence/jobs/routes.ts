import { callerOf, PageQuery, pageOf, sortable, type App } from '@posthorn/http'
import { transaction } from '@posthorn/engine'
import type { Pool } from 'pg'
import { Id, nullable, type FindDeliveries } from '@posthorn/system'
import { Type } from 'typebox'
import type { RowsOutbox } from '../outbox.ts'
import { problem } from '../problems.ts'
import { NotificationResource, toNotification } from '../results/notification.ts'
import {
  findNotificationEmail,
  listNotifications,
  saveNotificationEmail,
} from '../results/queries.ts'
import { retryErrors } from '../rows/retry.ts'
import { cancelJob } from './cancel.ts'
import { JOB_STATES, JobResource, toJobResource } from './job.ts'
import { findJob, insertAuditEntry, listJobs } from './queries.ts'

const PATH = '/api/v1/file-jobs'
const tags = ['evidence']
const params = Type.Object({ id: Id })
const SORTS = sortable(['-createdAt', 'createdAt'])
const SettingsResource = Type.Object({
  notificationEmail: nullable(
    Type.String({
      ...{ minLength: 3, maxLength: 254 },
      pattern: '^[^\\s@<>",;]+@[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?$',
    }),
  ),
})

const schemas = {
  list: {
    summary: 'Files of the merchant, newest first',
    tags,
    querystring: Type.Object({
      ...PageQuery.properties,
      sort: SORTS.parameter,
      status: Type.Optional(Type.Enum([...JOB_STATES])),
    }),
    response: { 200: pageOf(JobResource) },
  },
  one: { summary: 'A file and its progress', tags, params, response: { 200: JobResource } },
  notifications: {
    summary: "The merchant's notifications about a file, newest first",
    ...{ tags, params },
    response: { 200: pageOf(NotificationResource) },
  },
  cancel: {
    summary: 'Cancel the unpublished rows of a file',
    description:
      'The rows become ERROR with the code CANCELLED, the file COMPLETED, or REJECTED if none of its rows was stored. Repeating the request changes nothing.',
    ...{ tags, params },
    body: Type.Object({ reason: Type.String({ minLength: 1, maxLength: 500, pattern: '\\S' }) }),
    response: { 202: JobResource },
  },
  settings: {
    summary: "The organisation's settings for files",
    tags,
    response: { 200: SettingsResource },
  },
  saveSettings: {
    summary: 'Set the address for mailed results; null for no mail',
    tags,
    body: SettingsResource,
    response: { 200: SettingsResource },
  },
  retry: {
    summary: 'Retry the failed rows of a file, except invalid ones',
    ...{ tags, params },
    response: { 202: Type.Object({ requeued: Type.Integer() }) },
  },
}

export interface JobRoutesOptions {
  readonly pool: Pool
  readonly outbox: RowsOutbox
  readonly findDeliveries: FindDeliveries
}

export function jobRoutes(app: App, options: JobRoutesOptions): void {
  const { pool, outbox, findDeliveries } = options
  app.get(`${PATH}/settings`, { schema: schemas.settings }, async (request) => ({
    notificationEmail: await findNotificationEmail(pool, callerOf(request).org),
  }))

  app.put(`${PATH}/settings`, { schema: schemas.saveSettings }, async (request) => {
    const { org, sub: by } = callerOf(request)
    const { notificationEmail: email } = request.body
    await transaction(pool, async (tx) => {
      await saveNotificationEmail(tx, { org, email, by })
      await insertAuditEntry(tx, {
        ...{ org, by, action: 'settings.changed', entity: 'settings', entityId: org },
        details: { notificationEmail: email },
      })
    })
    return { notificationEmail: email }
  })

  app.get(PATH, { schema: schemas.list }, async (request) => {
    const { limit, sort, status } = request.query
    const before = SORTS.placeIn(request.query, Id)
    const { org } = callerOf(request)
    const jobs = await listJobs(pool, { org, status, before, sort, limit: limit + 1 })
    return SORTS.page(jobs, request.query, { item: toJobResource, after: ({ id }) => id })
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
    const ids = rows.map(({ id }) => id)
    const deliveries = Map.groupBy(
      await findDeliveries(pool, { org: job.org_id, ids }),
      ({ eventId }) => eventId,
    )
    const items = rows.map((row) =>
      toNotification({ ...row, deliveries: deliveries.get(row.id) ?? [] }),
    )
    return { items, nextCursor: null }
  })

  app.post(`${PATH}/:id/cancel`, { schema: schemas.cancel }, async (request, reply) => {
    const { org, sub: by } = callerOf(request)
    const key = { id: request.params.id, org }
    const cancelled = await cancelJob(pool, outbox, { ...key, by, reason: request.body.reason })
    if (cancelled.kind === 'ended') {
      throw problem('INVALID_STATE', { detail: `The file is ${cancelled.job.status}.` })
    }
    const job = cancelled.kind === 'cancelled' ? await findJob(pool, key) : undefined
    if (!job) throw problem('NOT_FOUND')
    return reply.code(202).send(toJobResource(job))
  })

  app.post(`${PATH}/:id/retry-errors`, { schema: schemas.retry }, async (request, reply) => {
    const { org, sub: by } = callerOf(request)
    const key = { id: request.params.id, org, by }
    const requeued = await retryErrors(pool, outbox, key)
    if (requeued === undefined) throw problem('NOT_FOUND')
    if (requeued === 'filesRemoved') {
      throw problem('FILES_REMOVED', { detail: 'Upload the failed rows again, with their files.' })
    }
    if (requeued === 'cancelled') {
      throw problem('INVALID_STATE', { detail: 'The file is cancelled. Upload it again.' })
    }
    return reply.code(202).send({ requeued })
  })
}
