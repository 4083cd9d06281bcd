import { decodeCursor, toPage, PageQuery, type App } from '@posthorn/http'
import type { Pool } from 'pg'
import { Type } from 'typebox'
import { requireFound, memberOf, type Owner } from '../owner.ts'
import type { Reason } from '../reason.ts'
import { findRun } from '../runs/queries.ts'
import { PATH } from '../runs/routes.ts'
import {
  Id,
  Amounts,
  Nullable,
  PaymentSideResource,
  ReasonEnum,
  RecordResource,
  runParams,
  tags,
} from '../schemas.ts'
import { countsOf, exceptionResource, overviewOf, TABS, type Tab } from './exception.ts'
import {
  countSuggested,
  selectDays,
  selectDayTallies,
  selectExceptions,
  selectOpenTallies,
} from './queries.ts'

const Counts = Type.Record(Type.String(), Type.Integer())
const Side = Type.Union([Type.String(), Type.Number(), Type.Null()])

const ExceptionResource = Type.Object({
  reconciliationId: Id,
  filename: Type.String(),
  reason: ReasonEnum,
  note: Nullable,
  age: Type.String(),
  openedAt: Type.String(),
  suggestions: Type.Integer(),
  record: RecordResource,
  payment: Type.Union([PaymentSideResource, Type.Null()]),
  differences: Type.Array(Type.Object({ field: Type.String(), record: Side, payment: Side })),
})

const querystring = Type.Object({
  limit: PageQuery.properties.limit,
  cursor: PageQuery.properties.cursor,
  tab: Type.Enum([...TABS], { default: 'all' }),
  reason: Type.Optional(ReasonEnum),
})
const response = {
  200: Type.Object({
    items: Type.Array(ExceptionResource),
    nextCursor: Nullable,
    counts: Type.Object({ tabs: Counts, reasons: Counts, ages: Counts }),
  }),
}

const listExceptions = {
  tags,
  summary: 'Records that need a decision, of the newest file first',
  querystring,
  response,
}
const listExceptionsOfRun = {
  tags,
  summary: 'Records of a file that need a decision',
  params: runParams,
  querystring,
  response,
}

const Figures = {
  total: Type.Integer(),
  matched: Type.Integer(),
  reconciliationRate: Type.Number({ description: 'percent, two decimals' }),
  moneyMatched: Amounts,
  moneyAtRisk: Amounts,
}
const readOverview = {
  tags,
  summary: 'Figures of all files: rate, money matched and at risk, exceptions, the last 14 days',
  response: {
    200: Type.Object({
      ...Figures,
      openExceptions: Type.Integer(),
      staleExceptions: Type.Integer({ description: 'open for more than 7 days' }),
      ages: Counts,
      days: Type.Array(Type.Object({ day: Type.String(), ...Figures })),
    }),
  },
}

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
}

export function exceptionRoutes(app: App, pool: Pool): void {
  const list = async (asked: Asked, query: Query) => {
    const { limit, cursor, tab, reason } = query
    const after = cursor === undefined ? undefined : decodeCursor(cursor, Place)[0]
    const page = { ...asked, tab, reason, after, limit: limit + 1 }
    const rows = await selectExceptions(pool, page)
    const counts = countsOf(await selectOpenTallies(pool, asked), await countSuggested(pool, asked))
    const items = toPage(rows, limit, {
      item: exceptionResource,
      after: ({ run_id: runId, line_number: line }) => [runId, line],
    })
    return { ...items, counts }
  }

  app.get(`${PATH}/exceptions`, { schema: listExceptions }, async (request) =>
    list({ ...memberOf(request), runId: undefined }, request.query),
  )

  app.get(`${PATH}/:id/exceptions`, { schema: listExceptionsOfRun }, async (request) => {
    const member = memberOf(request)
    const key = { ...member, id: request.params.id }
    const { id: runId } = requireFound(await findRun(pool, key), 'reconciliation')
    return list({ ...member, runId }, request.query)
  })

  app.get(`${PATH}/overview`, { schema: readOverview }, async (request) => {
    const member = memberOf(request)
    return overviewOf({
      days: await selectDays(pool, DAYS),
      tallies: await selectDayTallies(pool, member),
      open: await selectOpenTallies(pool, { ...member, runId: undefined }),
    })
  })
}
