import { Type } from 'typebox'
import { ProposalResource } from '../../approvals/schemas.ts'
import { Id, RecordId, RecordResource, recordParams, runParams, tags } from '../schemas.ts'

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
    description:
      "the record's amount less that of payments and refunds, in minor units; a fee is negative",
  }),
  kind: Kind,
})

const Refunds = Type.Array(Id, {
  minItems: 1,
  maxItems: MOST_PAYMENTS,
  uniqueItems: true,
  description: 'refunds that the record is, or that a payout was paid less',
})
const Part = Type.Boolean({
  description: 'the record is a part of its one payment, which others are paid in too',
})

export const matchRecord = {
  tags,
  summary: 'Match a record by hand: with a payment, several, a part of one, or refunds',
  params: recordParams,
  body: Type.Object({
    paymentId: Type.Optional(Id),
    paymentIds: Type.Optional(
      Type.Array(Id, { minItems: 1, maxItems: MOST_PAYMENTS, uniqueItems: true }),
    ),
    refundIds: Type.Optional(Refunds),
    part: Type.Optional(Part),
    adjustment: Type.Optional(AdjustmentBody),
    reason: Note,
    version: Version,
  }),
  response: { 200: RecordResource, 202: ProposalResource },
}

const decision = (summary: string) => ({
  tags,
  summary,
  params: recordParams,
  body: Type.Object({ reason: Note, version: Version }),
  response: { 200: RecordResource, 202: ProposalResource },
})

export const unmatchRecord = decision('Take a match back; no run matches the record again')
export const ignoreRecord = decision('Leave a record out of the exceptions')
export const reopenRecord = decision('Let runs look at a record again')

/** Decisions of one request at the most. */
export const MOST_DECISIONS = 500

const About = { recordId: RecordId, version: Version }

export const decideMany = {
  tags,
  summary: 'Decide about many records of a file at once',
  description:
    'Match, ignore, reopen, take matches back and accept suggestions in one transaction. What is refused changes nothing, and `refused` says why; all others are stored together.',
  params: runParams,
  body: Type.Object({
    reason: Note,
    decisions: Type.Array(
      Type.Union([
        Type.Object({ do: Type.Enum(['ignore', 'reopen', 'unmatch']), ...About }),
        Type.Object({
          do: Type.Literal('match'),
          ...About,
          paymentIds: Type.Optional(Type.Array(Id, { minItems: 1, maxItems: MOST_PAYMENTS })),
          refundIds: Type.Optional(Refunds),
          part: Type.Optional(Part),
          adjustment: Type.Optional(AdjustmentBody),
        }),
        Type.Object({ do: Type.Literal('accept'), suggestionId: Id }),
      ]),
      { minItems: 1, maxItems: MOST_DECISIONS },
    ),
  }),
  response: {
    200: Type.Object({
      applied: Type.Array(RecordResource),
      refused: Type.Array(
        Type.Object({
          index: Type.Integer({ description: 'which of the decisions, from 0' }),
          recordId: Type.Optional(Type.String()),
          suggestionId: Type.Optional(Type.String()),
          code: Type.String(),
          detail: Type.String(),
        }),
      ),
    }),
  },
}
