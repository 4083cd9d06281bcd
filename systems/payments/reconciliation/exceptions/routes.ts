import { callerOf, decodeCursor, toPage, type App } from '@posthorn/http'
import { Id, NullableText } from '@posthorn/system'
import type { Pool } from 'pg'
import { Type, type Static } from 'typebox'
import { Amounts, Line, LinePage, ownRun, PATH, runParams, tags } from '../request.ts'
import { Counts, ReasonEnum } from '../reason.ts'
import { countsOf, ExceptionResource, exceptionResource, overviewOf, TABS } from './exception.ts'
import {
  countSuggested,
  selectDays,
  selectDayTallies,
  selectExceptions,
  selectOpenTallies,
} from './queries.ts'

const querystring = Type.Object({
  ...LinePage,
  tab: Type.Enum([...TABS], { default: 'all' }),
  reason: Type.Optional(ReasonEnum),
})
const response = {
  200: Type.Object({
    items: Type.Array(ExceptionResource),
    nextCursor: NullableText,
    counts: Type.Object({ tabs: Counts, reasons: Counts, ages: Counts }),
  }),
}

const listing = { tags, querystring, response }
const listExceptions = {
  ...listing,
  summary: 'Records that need a decision, newest file first',
}
const listExceptionsOfRun = {
  ...listing,
  summary: 'Records of a file that need a decision',
  params: runParams,
}

const Figures = {
  total: Type.Integer(),
  matched: Type.Integer(),
  reconciliationRate: Type.Number({ description: 'Percentage with two decimals' }),
  moneyMatched: Amounts,
  moneyAtRisk: Amounts,
}
const readOverview = {
  tags,
  summary:
    'Figures of all files: match rate, money matched and at risk, exceptions, the last 14 days',
  response: {
    200: Type.Object({
      ...Figures,
      openExceptions: Type.Integer(),
      staleExceptions: Type.Integer({ description: 'Exceptions open for more than 7 days' }),
      ages: Counts,
      days: Type.Array(Type.Object({ day: Type.String(), ...Figures })),
    }),
  },
}

const DAYS = 14
const Place = Type.Tuple([Type.Tuple([Id, Line])])

interface Asked {
  readonly org: string
  readonly runId?: string
}

export function exceptionRoutes(app: App, pool: Pool): void {
  const list = async (asked: Asked, { cursor, ...query }: Static<typeof querystring>) => {
    const after = cursor === undefined ? undefined : decodeCursor(cursor, Place)[0]
    const page = { ...asked, ...query, after, limit: query.limit + 1 }
    const rows = await selectExceptions(pool, page)
    const counts = countsOf(await selectOpenTallies(pool, asked), await countSuggested(pool, asked))
    const items = toPage(rows, query.limit, {
      item: exceptionResource,
      after: ({ run_id: runId, line_number: line }) => [runId, line],
    })
    return { ...items, counts }
  }

  app.get(`${PATH}/exceptions`, { schema: listExceptions }, async (request) =>
    list({ org: callerOf(request).org }, request.query),
  )

  app.get(`${PATH}/:id/exceptions`, { schema: listExceptionsOfRun }, async (request) => {
    const { id: runId, org_id: org } = await ownRun(pool, request)
    return list({ org, runId }, request.query)
  })

  app.get(`${PATH}/overview`, { schema: readOverview }, async (request) => {
    const { org } = callerOf(request)
    return overviewOf({
      days: await selectDays(pool, DAYS),
      tallies: await selectDayTallies(pool, { org }),
      open: await selectOpenTallies(pool, { org }),
    })
  })
}
