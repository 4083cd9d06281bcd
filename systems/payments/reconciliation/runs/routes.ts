import type { App } from '@posthorn/http'
import { requireFound, memberOf } from '../owner.ts'
import { countByReason } from '../reason.ts'
import * as schemas from '../schemas.ts'
import { findRun, selectAdjustments, selectRuns, selectTallies } from './queries.ts'
import { reconcile, rehearse, type ReconcileOptions } from './reconcile.ts'
import { runResource, totalsOf } from './run.ts'

export const PATH = '/api/v1/reconciliations'

export function runRoutes(app: App, options: ReconcileOptions): void {
  const { pool } = options

  app.post(`${PATH}/:id/run`, { schema: schemas.runReconciliation }, async (request) => {
    const { org, user } = memberOf(request)
    const key = { org, id: request.params.id }
    return request.body?.dryRun === true ? rehearse(options, key) : reconcile(options, key, user)
  })

  app.get(PATH, { schema: schemas.listRuns }, async (request) => {
    const { limit, sort, status } = request.query
    const before = schemas.RUN_SORTS.placeIn(request.query, schemas.Id)
    const page = { status, before, sort, limit: limit + 1 }
    const rows = await selectRuns(pool, { ...memberOf(request), ...page })
    return schemas.RUN_SORTS.page(rows, request.query, { item: runResource, after: ({ id }) => id })
  })

  const own = async (request: Parameters<typeof memberOf>[0] & { params: { id: string } }) =>
    requireFound(
      await findRun(pool, { ...memberOf(request), id: request.params.id }),
      'reconciliation',
    )

  app.get(`${PATH}/:id`, { schema: schemas.readRun }, async (request) => {
    const run = await own(request)
    const tallies = await selectTallies(pool, { id: run.id, runNo: run.run_no })
    return { ...runResource(run), reasons: countByReason(tallies) }
  })

  app.get(`${PATH}/:id/totals`, { schema: schemas.readTotals }, async (request) => {
    const run = await own(request)
    const { id, run_no: runNo } = run
    const present = await selectTallies(pool, { id, runNo })
    const before = await selectTallies(pool, { id, runNo: runNo - 1 })
    return totalsOf({ run, present, before, adjustments: await selectAdjustments(pool, id) })
  })
}
