import { callerOf, pageOf, sortable, type App } from '@posthorn/http'
import { Id, nullable } from '@posthorn/system'
import { Type } from 'typebox'
import { Counts, countByReason } from '../reason.ts'
import { keyOf, LinePage, ownRun, PATH, runParams, tags } from '../request.ts'
import { selectAdjustments, selectRuns, selectTallies } from './queries.ts'
import { reconcile, rehearse, type ReconcileOptions } from './reconcile.ts'
import { RUN_STATES, RunOutcome, RunResource, runResource, totalsOf } from './run.ts'

const runReconciliation = {
  tags,
  summary: 'Match the records of a file with the payments of its organisation',
  params: runParams,
  body: nullable(Type.Object({ dryRun: Type.Optional(Type.Boolean()) })),
  response: { 200: RunOutcome },
}
const RUN_SORTS = sortable(['-createdAt', 'createdAt'])

const listRuns = {
  tags,
  summary: 'Files and the progress of their reconciliation, newest first',
  querystring: Type.Object({
    ...LinePage,
    sort: RUN_SORTS.parameter,
    status: Type.Optional(Type.Enum([...RUN_STATES])),
  }),
  response: { 200: pageOf(RunResource) },
}
const readRun = {
  tags,
  summary: 'A file, its counts and its last run by reason',
  params: runParams,
  response: { 200: Type.Object({ ...RunResource.properties, reasons: Counts }) },
}
const TotalsOfCurrency = Type.Object({
  currency: Type.String(),
  fileTotal: Type.String(),
  opening: Type.String({ description: 'Amount matched before the last run' }),
  matched: Type.String({ description: 'Amount matched by the last run or later' }),
  unmatched: Type.String(),
  adjustments: Type.String({
    description: 'Amount of matched records less that of their payments',
  }),
  records: Counts,
})
const readTotals = {
  tags,
  summary: 'The totals of a file: opening + matched + unmatched = file total, by currency',
  params: runParams,
  response: {
    200: Type.Object({ runNo: Type.Integer(), currencies: Type.Array(TotalsOfCurrency) }),
  },
}

export function runRoutes(app: App, options: ReconcileOptions): void {
  const { pool } = options

  app.post(`${PATH}/:id/run`, { schema: runReconciliation }, async (request) => {
    const key = keyOf(request)
    return request.body?.dryRun === true
      ? rehearse(options, key)
      : reconcile(options, key, callerOf(request).sub)
  })

  app.get(PATH, { schema: listRuns }, async (request) => {
    const { query } = request
    const before = RUN_SORTS.placeIn(query, Id)
    const { org } = callerOf(request)
    const rows = await selectRuns(pool, { ...query, org, before, limit: query.limit + 1 })
    return RUN_SORTS.page(rows, query, { item: runResource, after: ({ id }) => id })
  })

  app.get(`${PATH}/:id`, { schema: readRun }, async (request) => {
    const run = await ownRun(pool, request)
    const tallies = await selectTallies(pool, { id: run.id, runNo: run.run_no })
    return { ...runResource(run), reasons: countByReason(tallies) }
  })

  app.get(`${PATH}/:id/totals`, { schema: readTotals }, async (request) => {
    const run = await ownRun(pool, request)
    const { id, run_no: runNo } = run
    const present = await selectTallies(pool, { id, runNo })
    const before = await selectTallies(pool, { id, runNo: runNo - 1 })
    return totalsOf({ run, present, before, adjustments: await selectAdjustments(pool, id) })
  })
}
