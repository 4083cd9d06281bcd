import { PageQuery, pageOf, sortable } from '@posthorn/http'
import { Type } from 'typebox'
import { FORMATS } from './formats/format.ts'
import { REASONS } from './reason.ts'
import { RUN_STATES } from './runs/run.ts'
import { Balances } from './upload/schemas.ts'

export const tags = ['reconciliation']
export const Id = Type.String({ format: 'uuid' })
export const Nullable = Type.Union([Type.String(), Type.Null()])
const NullableInteger = Type.Union([Type.Integer(), Type.Null()])
export const Amount = Type.Integer({ description: 'in minor units' })
/** Sums are text: they may be larger than a number can say. */
export const Amounts = Type.Record(Type.String(), Type.String(), {
  description: 'by currency, in minor units',
})
export const ReasonEnum = Type.Enum([...REASONS])
const Counts = Type.Record(Type.String(), Type.Integer())

const Day = Type.String({ format: 'date' })

export const runParams = Type.Object({ id: Id })
export const RecordId = Type.String({ pattern: '^[1-9]\\d{0,8}$', description: 'its line number' })
export const recordParams = Type.Object({ id: Id, recordId: RecordId })
export const LinePage = {
  limit: PageQuery.properties.limit,
  cursor: PageQuery.properties.cursor,
}

const Result = {
  matched: Type.Integer(),
  unmatched: Type.Integer(),
  total: Type.Integer(),
  matchRate: Type.Number({ description: 'percent, two decimals' }),
}

export const RunResource = Type.Object({
  id: Id,
  filename: Type.String(),
  status: Type.Enum([...RUN_STATES]),
  uploadedBy: Type.String(),
  ...Result,
  duplicates: Type.Integer(),
  sums: Type.Record(Type.String(), Type.Object({ records: Type.Integer(), amount: Type.String() })),
  runNo: Type.Integer({ description: 'how often it was reconciled' }),
  profileId: Nullable,
  profileVersion: NullableInteger,
  createdAt: Type.String(),
  ranAt: Nullable,
  format: Type.Enum([...FORMATS]),
  balances: Balances,
  pending: Type.Integer({ description: 'entries that are not booked, and no records' }),
  discarded: Type.Union([
    Type.Object({ at: Type.String(), by: Type.String(), reason: Type.String() }),
    Type.Null(),
  ]),
})

export const RecordResource = Type.Object({
  id: Type.String(),
  lineNumber: Type.Integer(),
  externalTransactionId: Type.String(),
  amount: Amount,
  currency: Type.String(),
  bookedOn: Type.String(),
  occurrenceNo: Type.Integer(),
  duplicateOf: NullableInteger,
  status: Type.Enum(['unmatched', 'matched']),
  matchedPaymentId: Nullable,
  matchedAs: Type.Union([Type.Enum(['payment', 'part', 'refund']), Type.Null()], {
    description: 'what the record stands for; of a refund, matchedPaymentId is what was refunded',
  }),
  paymentIds: Type.Array(Type.String()),
  refundIds: Type.Array(Type.String()),
  fee: Type.Union([Type.Integer(), Type.Null()], {
    description: 'what was taken off: by the match, else as the file names it',
  }),
  gross: Type.Integer({ description: 'amount and fee' }),
  adjustment: Type.Union([
    Type.Object({ amount: Type.Integer(), kind: Type.String() }),
    Type.Null(),
  ]),
  decidedBy: Nullable,
  version: Type.Integer(),
  reason: Type.Union([ReasonEnum, Type.Null()]),
})

const DetailResource = Type.Object({
  recordId: Type.String(),
  runNo: Type.Integer(),
  reason: ReasonEnum,
  paymentId: Nullable,
  note: Nullable,
  actor: Nullable,
  createdAt: Type.String(),
})

export const PaymentSideResource = Type.Object({
  id: Id,
  amount: Amount,
  currency: Type.String(),
  externalPaymentId: Nullable,
  status: Type.String(),
  createdAt: Type.String(),
})

const RefundSideResource = Type.Object({
  ...PaymentSideResource.properties,
  paymentId: Id,
  gatewayRef: Nullable,
})

export const SuggestionResource = Type.Object({
  id: Id,
  recordId: Type.String(),
  kind: Type.String(),
  paymentIds: Type.Array(Type.String()),
  refundIds: Type.Array(Type.String()),
  recordIds: Type.Array(Type.String(), {
    description: 'the records of a payment in parts, else the one',
  }),
  difference: Type.Integer({ description: "the record's amount less that of the payments" }),
  ambiguous: Type.Boolean(),
  status: Type.String(),
  createdAt: Type.String(),
})

export const runReconciliation = {
  tags,
  summary: 'Match the records of a file with the payments of its organisation',
  params: runParams,
  body: Type.Union([Type.Object({ dryRun: Type.Optional(Type.Boolean()) }), Type.Null()]),
  response: { 200: Type.Object({ ...Result, reasons: Counts }) },
}
export const RUN_SORTS = sortable(['-createdAt', 'createdAt'])

export const listRuns = {
  tags,
  summary: 'Files and how far their reconciliation is, newest first',
  querystring: Type.Object({
    ...LinePage,
    sort: RUN_SORTS.parameter,
    status: Type.Optional(Type.Enum([...RUN_STATES])),
  }),
  response: { 200: pageOf(RunResource) },
}
export const readRun = {
  tags,
  summary: 'A file, its counts and its last run by reason',
  params: runParams,
  response: { 200: Type.Object({ ...RunResource.properties, reasons: Counts }) },
}
const TotalsOfCurrency = Type.Object({
  currency: Type.String(),
  fileTotal: Type.String(),
  opening: Type.String({ description: 'matched before the last run' }),
  matched: Type.String({ description: 'matched by the last run or since' }),
  unmatched: Type.String(),
  adjustments: Type.String({ description: 'what matched records are more than their payments' }),
  records: Counts,
})
export const readTotals = {
  tags,
  summary: 'What a file adds up to: opening + matched + unmatched = file total, by currency',
  params: runParams,
  response: {
    200: Type.Object({ runNo: Type.Integer(), currencies: Type.Array(TotalsOfCurrency) }),
  },
}
export const listRecords = {
  tags,
  summary: 'Records in the order of the file',
  params: runParams,
  querystring: Type.Object({
    ...LinePage,
    status: Type.Optional(Type.Enum(['unmatched', 'matched'])),
    reason: Type.Optional(ReasonEnum),
  }),
  response: { 200: pageOf(RecordResource) },
}
export const readRecord = {
  tags,
  summary: 'A record with its payments, what is suggested for it, and what it was before',
  params: recordParams,
  response: {
    200: Type.Object({
      ...RecordResource.properties,
      payments: Type.Array(PaymentSideResource),
      suggestions: Type.Array(SuggestionResource),
      history: Type.Array(DetailResource, { description: 'newest first' }),
    }),
  },
}
export const listDetails = {
  tags,
  summary: 'Why each record is as it is, in the order of the file',
  params: runParams,
  querystring: Type.Object({ ...LinePage, reason: Type.Optional(ReasonEnum) }),
  response: { 200: pageOf(DetailResource) },
}
export const listMissing = {
  tags,
  summary: 'Payments that no record has, or not all of, newest first',
  params: runParams,
  querystring: Type.Object({
    ...LinePage,
    from: Type.Optional({ ...Day, description: 'payments of this day and later (UTC)' }),
    to: Type.Optional({ ...Day, description: 'payments of this day and earlier' }),
    settlesWithin: Type.Integer({
      minimum: 0,
      maximum: 366,
      default: 0,
      description:
        'T+n: business days (Monday to Friday) that the bank has for a payment; one is missing only once they are over',
    }),
    status: Type.Optional(Type.Enum(['pending', 'succeeded', 'failed', 'refunded'])),
  }),
  response: { 200: pageOf(PaymentSideResource) },
}
export const listRefunds = {
  tags,
  summary: 'Refunds that no record has, newest first: what money going out may be',
  params: runParams,
  querystring: Type.Object({
    ...LinePage,
    currency: Type.Optional(Type.String({ pattern: '^[A-Z]{3}$' })),
  }),
  response: { 200: pageOf(RefundSideResource) },
}
