import { Type } from 'typebox'
import { Id, RecordResource, recordParams, tags } from '../schemas.ts'

/** Payments of one record at the most. */
export const MOST_PAYMENTS = 1_000

const Note = Type.String({ minLength: 1, maxLength: 2_000, description: 'why, in your words' })
const Version = Type.Optional(
  Type.Integer({ minimum: 0, description: 'of the record that was looked at; another is 409' }),
)

export const Kind = Type.Enum(['fee', 'rounding', 'other'])

const AdjustmentBody = Type.Object({
  amount: Type.Integer({
    minimum: -999_999_999_999,
    maximum: 999_999_999_999,
    description: "the record's amount less that of the payments, in minor units; a fee is negative",
  }),
  kind: Kind,
})

export const matchRecord = {
  tags,
  summary: 'Match a record by hand, with one payment or with several that it settles',
  params: recordParams,
  body: Type.Object({
    paymentId: Type.Optional(Id),
    paymentIds: Type.Optional(
      Type.Array(Id, { minItems: 1, maxItems: MOST_PAYMENTS, uniqueItems: true }),
    ),
    adjustment: Type.Optional(AdjustmentBody),
    reason: Note,
    version: Version,
  }),
  response: { 200: RecordResource },
}

const decision = (summary: string) => ({
  tags,
  summary,
  params: recordParams,
  body: Type.Object({ reason: Note, version: Version }),
  response: { 200: RecordResource },
})

export const unmatchRecord = decision('Take a match back; no run matches the record again')
export const ignoreRecord = decision('Leave a record out of the exceptions')
export const reopenRecord = decision('Let runs look at a record again')
