import { transaction } from '@posthorn/engine'
import { decodeCursor, invalid, toPage, type App } from '@posthorn/http'
import { Id } from '@posthorn/system'
import type { Pool } from 'pg'
import { Type } from 'typebox'
import { StatementResource, statementResource } from '../formats/findings.ts'
import { ReasonEnum } from '../reason.ts'
import { keyOf, Line, listOf, ownRun, PATH, recordParams, requireFound, tags } from '../request.ts'
import { avoidLoops } from '../runs/queries.ts'
import { selectSuggestionsOf } from '../suggestions/queries.ts'
import { SuggestionResource, suggestionResource } from '../suggestions/suggestion.ts'
import {
  findRecord,
  selectDetails,
  selectDetailsOf,
  selectFreeReversals,
  selectMissing,
  selectPaymentSides,
  selectRecords,
  selectStatements,
} from './queries.ts'
import {
  DetailResource,
  detailResource,
  paymentSide,
  PaymentSideResource,
  RecordResource,
  recordResource,
  refundSide,
  RefundSideResource,
} from './record.ts'

const Day = Type.String({ format: 'date' })

const listRecords = {
  ...listOf(RecordResource, {
    status: Type.Optional(Type.Enum(['unmatched', 'matched'])),
    reason: Type.Optional(ReasonEnum),
  }),
  summary: 'Records in the order of the file',
}
const readRecord = {
  tags,
  summary: 'A record with its payments, suggestions and history',
  params: recordParams,
  response: {
    200: Type.Object({
      ...RecordResource.properties,
      payments: Type.Array(PaymentSideResource),
      suggestions: Type.Array(SuggestionResource),
      history: Type.Array(DetailResource, { description: 'History, newest first' }),
    }),
  },
}
const listDetails = {
  ...listOf(DetailResource, { reason: Type.Optional(ReasonEnum) }),
  summary: "The reason of each record's state, in the order of the file",
}
const listMissing = {
  ...listOf(PaymentSideResource, {
    from: Type.Optional({ ...Day, description: 'Only payments of this day or later (UTC)' }),
    to: Type.Optional({ ...Day, description: 'Only payments of this day or earlier (UTC)' }),
    settlesWithin: Type.Integer({
      minimum: 0,
      maximum: 366,
      default: 0,
      description:
        'Business days (Monday to Friday) that the bank takes to pay out (T+n); a payment counts as missing only after them',
    }),
    status: Type.Optional(Type.Enum(['pending', 'succeeded', 'failed', 'refunded'])),
  }),
  summary: 'Payments without records, or with records for a part, newest first',
}
const listReversals = (summary: string) => ({
  ...listOf(RefundSideResource, {
    currency: Type.Optional(Type.String({ pattern: '^[A-Z]{3}$' })),
  }),
  summary,
})
const REVERSALS = [
  {
    kind: 'refund',
    schema: listReversals('Refunds without a record, newest first'),
  },
  {
    kind: 'dispute',
    schema: listReversals('Disputes that took money and have no record, newest first'),
  },
] as const

const listStatements = {
  ...listOf(StatementResource, {}),
  summary: 'The statements of a file, and whether their balances tie out',
  description:
    'For camt.053 and MT940, by statement and currency: whether opening balance + entries = closing balance, or the difference. CSV files have no statements.',
}

/** Where a page of statements ended, and of those that are older than a payment or refund. */
const StatementPlace = Type.Tuple([Type.Tuple([Line, Type.String({ maxLength: 3 })])])
const OlderThan = Type.Tuple([Id])

export function recordRoutes(app: App, pool: Pool): void {
  app.get(`${PATH}/:id/records`, { schema: listRecords }, async (request) => {
    const { cursor, ...query } = request.query
    const { id: runId } = await ownRun(pool, request)
    const page = { ...query, runId, after: lineAfter(cursor), limit: query.limit + 1 }
    const rows = await selectRecords(pool, page)
    return toPage(rows, query.limit, { item: recordResource, after: (row) => row.line_number })
  })

  app.get(`${PATH}/:id/records/:recordId`, { schema: readRecord }, async (request) => {
    const { id: runId, org_id: org } = await ownRun(pool, request)
    const key = { runId, line: Number(request.params.recordId) }
    const record = recordResource(requireFound(await findRecord(pool, key), 'record'))
    const history = await selectDetailsOf(pool, key)
    const suggestions = await selectSuggestionsOf(pool, key)
    const ids = [
      ...record.paymentIds,
      ...[record.matchedPaymentId, history[0]?.payment_id ?? null].filter((id) => id !== null),
      ...suggestions.flatMap(({ payment_ids: each }) => each),
    ]
    const payments = await selectPaymentSides(pool, { ids, org })
    return {
      ...record,
      payments: payments.map(paymentSide),
      suggestions: suggestions.map(suggestionResource),
      history: history.map(detailResource),
    }
  })

  app.get(`${PATH}/:id/details`, { schema: listDetails }, async (request) => {
    const { cursor, ...query } = request.query
    const { id: runId } = await ownRun(pool, request)
    const page = { ...query, runId, after: lineAfter(cursor), limit: query.limit + 1 }
    const rows = await selectDetails(pool, page)
    return toPage(rows, query.limit, { item: detailResource, after: (row) => row.line_number })
  })

  app.get(`${PATH}/:id/missing`, { schema: listMissing }, async (request) => {
    const { cursor, ...query } = request.query
    const { from, to, limit } = query
    await ownRun(pool, request)
    if (from !== undefined && to !== undefined && from > to) {
      throw invalid([{ field: 'from', reason: 'must not be later than to' }])
    }
    const before = cursor === undefined ? undefined : decodeCursor(cursor, OlderThan)[0]
    const page = { ...query, ...keyOf(request), before, limit: limit + 1 }
    const rows = await transaction(pool, async (tx) => {
      await avoidLoops(tx)
      return selectMissing(tx, page)
    })
    return toPage(rows, limit, { item: paymentSide, after: (row) => row.id })
  })

  for (const { kind, schema } of REVERSALS) {
    app.get(`${PATH}/:id/${kind}s`, { schema }, async (request) => {
      const { limit, cursor, currency } = request.query
      const { org_id: org } = await ownRun(pool, request)
      const before = cursor === undefined ? undefined : decodeCursor(cursor, OlderThan)[0]
      const page = { kind, org, currency, before, limit: limit + 1 }
      const rows = await selectFreeReversals(pool, page)
      return toPage(rows, limit, { item: refundSide, after: (row) => row.id })
    })
  }

  app.get(`${PATH}/:id/statements`, { schema: listStatements }, async (request) => {
    const { limit, cursor } = request.query
    const { id: runId } = await ownRun(pool, request)
    const after =
      cursor === undefined ? ([0, ''] as const) : decodeCursor(cursor, StatementPlace)[0]
    const rows = await selectStatements(pool, { runId, after, limit: limit + 1 })
    return toPage(rows, limit, {
      item: statementResource,
      after: ({ number, currency }) => [number, currency],
    })
  })
}

function lineAfter(cursor: string | undefined): number {
  return cursor === undefined ? 0 : decodeCursor(cursor, Type.Tuple([Line]))[0]
}
