import { callerOf, pageOf, PageQuery, sortable, type App } from '@posthorn/http'
import { Id } from '@posthorn/system'
import type { Pool } from 'pg'
import { Type } from 'typebox'
import {
  DISPUTE_STATES,
  DisputeResource,
  Refunded,
  RefundResource,
  toDispute,
  toRefundResource,
} from '../payment.ts'
import { selectAllDisputes, selectAllRefunds } from './queries.ts'

const tags = ['payments']

const REFUND_SORTS = sortable(['-createdAt', 'createdAt'])

export const RefundQuery = Type.Object({
  ...PageQuery.properties,
  sort: REFUND_SORTS.parameter,
  status: Type.Optional(Refunded.properties.status),
})

const listRefunds = {
  tags,
  summary: 'Refunds of all payments, newest first',
  querystring: RefundQuery,
  response: { 200: pageOf(RefundResource) },
}

const DISPUTE_SORTS = sortable(['-openedAt', 'openedAt', 'evidenceDueAt', '-evidenceDueAt'])

export const DisputeQuery = Type.Object({
  ...PageQuery.properties,
  sort: DISPUTE_SORTS.parameter,
  status: Type.Optional(Type.Enum(DISPUTE_STATES)),
  open: Type.Optional(
    Type.Boolean({ description: 'true: only inquiries and disputes that have not ended' }),
  ),
  dueBefore: Type.Optional(
    Type.String({
      format: 'date-time',
      description: 'Only disputes whose evidence is due before this time',
    }),
  ),
})

const listDisputes = {
  tags,
  summary: 'The disputes of all payments, newest first, or by the deadline for evidence',
  querystring: DisputeQuery,
  response: { 200: pageOf(DisputeResource) },
}

/** Of a page by deadline. */
const Deadline = Type.Tuple([Type.String({ format: 'date-time', maxLength: 32 }), Id])

/** What goes back to customers, across payments. */
export function returnRoutes(app: App, pool: Pool): void {
  app.get('/api/v1/refunds', { schema: listRefunds }, async (request) => {
    const { query } = request
    const before = REFUND_SORTS.placeIn(query, Id)
    const page = { ...query, orgId: callerOf(request).org, before, limit: query.limit + 1 }
    const rows = await selectAllRefunds(pool, page)
    return REFUND_SORTS.page(rows, query, { item: toRefundResource, after: ({ id }) => id })
  })

  app.get('/api/v1/disputes', { schema: listDisputes }, async (request) => {
    const { query } = request
    const byDeadline = query.sort.endsWith('evidenceDueAt')
    const before = DISPUTE_SORTS.placeIn(query, byDeadline ? Deadline : Id)
    const page = { ...query, orgId: callerOf(request).org, before, limit: query.limit + 1 }
    const rows = await selectAllDisputes(pool, page)
    return DISPUTE_SORTS.page(rows, query, {
      item: toDispute,
      after: ({ due, id }) => (byDeadline ? [due, id] : id),
    })
  })
}
