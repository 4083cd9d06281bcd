import { decodeCursor, toPage, type App } from '@posthorn/http'
import type { Pool } from 'pg'
import { Type } from 'typebox'
import { memberOf, requireFound } from '../owner.ts'
import { findRun } from '../runs/queries.ts'
import { PATH } from '../runs/routes.ts'
import { selectStatements } from './queries.ts'
import { listStatements } from './schemas.ts'
import { statementResource } from './statement.ts'

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
