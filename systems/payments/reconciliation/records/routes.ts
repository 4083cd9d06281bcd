import { transaction } from '@posthorn/engine'
import { decodeCursor, invalid, toPage, type App } from '@posthorn/http'
import type { Pool } from 'pg'
import { Type } from 'typebox'
import { requireFound, memberOf } from '../owner.ts'
import { avoidLoops, findRun } from '../runs/queries.ts'
import { PATH } from '../runs/routes.ts'
import * as schemas from '../schemas.ts'
import { suggestionResource } from '../suggestions/suggestion.ts'
import { selectSuggestionsOf } from '../suggestions/queries.ts'
import {
  findRecord,
  selectDetails,
  selectDetailsOf,
  selectFreeRefunds,
  selectMissing,
  selectPaymentSides,
  selectRecords,
  selectStatements,
} from './queries.ts'
import { detailResource, paymentSide, recordResource, refundSide } from './record.ts'
import { listStatements, statementResource } from '../statements/statement.ts'

const Place = Type.Tuple([
  Type.Tuple([Type.Integer({ minimum: 0, maximum: 2_147_483_647 }), Type.String({ maxLength: 3 })]),
])

export function statementRoutes(app: App, pool: Pool): void {
  app.get(`${PATH}/:id/statements`, { schema: listStatements }, async (request) => {
    const { limit, cursor } = request.query
    const key = { ...memberOf(request), id: request.params.id }
    const { id: runId } = requireFound(await findRun(pool, key), 'reconciliation')
    const after = cursor === undefined ? ([0, ''] as const) : decodeCursor(cursor, Place)[0]
    const rows = await selectStatements(pool, { runId, after, limit: limit + 1 })
    return toPage(rows, limit, {
      item: statementResource,
      after: ({ number, currency }) => [number, currency],
    })
  })
}

const ByLine = Type.Tuple([Type.Integer({ minimum: 0, maximum: 2_147_483_647 })])

export function recordRoutes(app: App, pool: Pool): void {
  const own = async (request: Parameters<typeof memberOf>[0] & { params: { id: string } }) =>
    requireFound(
      await findRun(pool, { ...memberOf(request), id: request.params.id }),
      'reconciliation',
    )

  app.get(`${PATH}/:id/records`, { schema: schemas.listRecords }, async (request) => {
    const { limit, cursor, status, reason } = request.query
    const { id: runId } = await own(request)
    const page = { runId, status, reason, after: lineAfter(cursor), limit: limit + 1 }
    const rows = await selectRecords(pool, page)
    return toPage(rows, limit, { item: recordResource, after: (row) => row.line_number })
  })

  app.get(`${PATH}/:id/records/:recordId`, { schema: schemas.readRecord }, async (request) => {
    const { id: runId, org_id: org } = await own(request)
    const key = { runId, line: Number(request.params.recordId) }
    const record = recordResource(requireFound(await findRecord(pool, key), 'record'))
    const [current, ...earlier] = await selectDetailsOf(pool, key)
    const suggestions = await selectSuggestionsOf(pool, key)
    const candidate = current?.payment_id ?? null
    const ids = [
      ...record.paymentIds,
      ...(record.matchedPaymentId === null ? [] : [record.matchedPaymentId]),
      ...(candidate === null ? [] : [candidate]),
      ...suggestions.flatMap(({ payment_ids: each }) => each),
    ]
    const payments = await selectPaymentSides(pool, { ids, org })
    return {
      ...record,
      payments: payments.map(paymentSide),
      suggestions: suggestions.map(suggestionResource),
      history: (current ? [current, ...earlier] : []).map(detailResource),
    }
  })

  app.get(`${PATH}/:id/details`, { schema: schemas.listDetails }, async (request) => {
    const { limit, cursor, reason } = request.query
    const { id: runId } = await own(request)
    const page = { runId, reason, after: lineAfter(cursor), limit: limit + 1 }
    const rows = await selectDetails(pool, page)
    return toPage(rows, limit, { item: detailResource, after: (row) => row.line_number })
  })

  app.get(`${PATH}/:id/missing`, { schema: schemas.listMissing }, async (request) => {
    const { limit, cursor, status, from, to, settlesWithin } = request.query
    const { id } = await own(request)
    if (from !== undefined && to !== undefined && from > to) {
      throw invalid([{ field: 'from', reason: 'must not be later than to' }])
    }
    const before =
      cursor === undefined ? undefined : decodeCursor(cursor, Type.Tuple([schemas.Id]))[0]
    const period = { from, to, settlesWithin }
    const page = { ...memberOf(request), id, status, ...period, before, limit: limit + 1 }
    const rows = await transaction(pool, async (tx) => {
      await avoidLoops(tx)
      return selectMissing(tx, page)
    })
    return toPage(rows, limit, { item: paymentSide, after: (row) => row.id })
  })

  app.get(`${PATH}/:id/refunds`, { schema: schemas.listRefunds }, async (request) => {
    const { limit, cursor, currency } = request.query
    const { org_id: org } = await own(request)
    const before =
      cursor === undefined ? undefined : decodeCursor(cursor, Type.Tuple([schemas.Id]))[0]
    const rows = await selectFreeRefunds(pool, { org, currency, before, limit: limit + 1 })
    return toPage(rows, limit, { item: refundSide, after: (row) => row.id })
  })
}

function lineAfter(cursor: string | undefined): number {
  return cursor === undefined ? 0 : decodeCursor(cursor, ByLine)[0]
}
