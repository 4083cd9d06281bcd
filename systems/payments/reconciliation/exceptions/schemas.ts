import { PageQuery } from '@posthorn/http'
import { Type } from 'typebox'
import {
  Amounts,
  Id,
  Nullable,
  PaymentSideResource,
  ReasonEnum,
  RecordResource,
  runParams,
  tags,
} from '../schemas.ts'
import { TABS } from './exception.ts'

const Counts = Type.Record(Type.String(), Type.Integer())
const Side = Type.Union([Type.String(), Type.Number(), Type.Null()])

const ExceptionResource = Type.Object({
  reconciliationId: Id,
  filename: Type.String(),
  reason: ReasonEnum,
  note: Nullable,
  assignment: Type.Object({
    owner: Nullable,
    note: Nullable,
    dueOn: Nullable,
    overdue: Type.Boolean({ description: 'its day is over by the business clock, in UTC' }),
  }),
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
  owner: Type.Optional(
    Type.String({ maxLength: 255, description: 'who looks after it; empty: no user does' }),
  ),
  overdue: Type.Optional(Type.Boolean()),
})
const response = {
  200: Type.Object({
    items: Type.Array(ExceptionResource),
    nextCursor: Nullable,
    counts: Type.Object({ tabs: Counts, reasons: Counts, ages: Counts }),
  }),
}

export const listExceptions = {
  tags,
  summary: 'Records that need a decision, of the newest file first',
  querystring,
  response,
}
export const listExceptionsOfRun = {
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
export const readOverview = {
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
