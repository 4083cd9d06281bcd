import { decodeCursor, toPage, type App } from '@posthorn/http'
import type { Pool } from 'pg'
import { Type } from 'typebox'
import { requireFound, memberOf, type Owner } from '../owner.ts'
import type { Reason } from '../reason.ts'
import { findRun } from '../runs/queries.ts'
import { PATH } from '../runs/routes.ts'
import { Id } from '../schemas.ts'
import { countsOf, exceptionResource, type Tab } from './exception.ts'
import { overviewOf } from './overview.ts'
import {
  countSuggested,
  selectDays,
  selectDayTallies,
  selectExceptions,
  selectOpenTallies,
} from './queries.ts'
import * as schemas from './schemas.ts'

const DAYS = 14
const Place = Type.Tuple([Type.Tuple([Id, Type.Integer({ minimum: 0, maximum: 2_147_483_647 })])])

interface Asked extends Owner {
  readonly runId: string | undefined
}

interface Query {
  readonly limit: number
  readonly cursor?: string
  readonly tab: Tab
  readonly reason?: Reason
  readonly owner?: string
  readonly overdue?: boolean
}

export function exceptionRoutes(app: App, pool: Pool): void {
  const list = async (asked: Asked, query: Query) => {
    const { limit, cursor, tab, reason, owner, overdue = false } = query
    const after = cursor === undefined ? undefined : decodeCursor(cursor, Place)[0]
    const page = { ...asked, tab, reason, owner, overdue, after, limit: limit + 1 }
    const rows = await selectExceptions(pool, page)
    const counts = countsOf(await selectOpenTallies(pool, asked), await countSuggested(pool, asked))
    const items = toPage(rows, limit, {
      item: exceptionResource,
      after: ({ run_id: runId, line_number: line }) => [runId, line],
    })
    return { ...items, counts }
  }

  app.get(`${PATH}/exceptions`, { schema: schemas.listExceptions }, async (request) =>
    list({ ...memberOf(request), runId: undefined }, request.query),
  )

  app.get(`${PATH}/:id/exceptions`, { schema: schemas.listExceptionsOfRun }, async (request) => {
    const member = memberOf(request)
    const key = { ...member, id: request.params.id }
    const { id: runId } = requireFound(await findRun(pool, key), 'reconciliation')
    return list({ ...member, runId }, request.query)
  })

  app.get(`${PATH}/overview`, { schema: schemas.readOverview }, async (request) => {
    const member = memberOf(request)
    return overviewOf({
      days: await selectDays(pool, DAYS),
      tallies: await selectDayTallies(pool, member),
      open: await selectOpenTallies(pool, { ...member, runId: undefined }),
    })
  })
}
