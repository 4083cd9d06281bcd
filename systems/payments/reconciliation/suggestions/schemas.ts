import { PageQuery, pageOf } from '@posthorn/http'
import { Type } from 'typebox'
import { ProposalResource } from '../../approvals/schemas.ts'
import { Kind } from '../decisions/schemas.ts'
import { Id, RecordResource, SuggestionResource, runParams, tags } from '../schemas.ts'

const Absolute = Type.Optional(
  Type.Integer({ minimum: 0, maximum: 999_999_999_999, description: 'minor units' }),
)
const Bps = Type.Optional(
  Type.Integer({ minimum: 0, maximum: 10_000, description: 'hundredths of a percent' }),
)
const Days = Type.Integer({ minimum: 0, maximum: 31 })

const AmountPass = Type.Object({
  kind: Type.Literal('amount_tolerance'),
  absolute: Absolute,
  bps: Bps,
})
const DatePass = Type.Object({ kind: Type.Literal('date_window'), before: Days, after: Days })
const PayoutPass = Type.Object({
  kind: Type.Literal('many_to_one'),
  by: Type.Union([
    Type.Literal('date'),
    Type.Object({ metadata: Type.String({ minLength: 1, maxLength: 100 }) }),
  ]),
  fee: Type.Optional(Type.Object({ absolute: Absolute, bps: Bps })),
  before: Type.Optional(Days),
})

const SplitPass = Type.Object({
  kind: Type.Literal('one_to_many'),
  fee: Type.Optional(Type.Object({ absolute: Absolute, bps: Bps })),
})

export const suggestMatches = {
  tags,
  summary: 'Look for what might belong together; matches nothing',
  params: runParams,
  body: Type.Object({
    passes: Type.Array(Type.Union([AmountPass, DatePass, PayoutPass, SplitPass]), {
      minItems: 1,
      maxItems: 10,
    }),
  }),
  response: {
    200: Type.Object({
      passes: Type.Array(Type.Object({ kind: Type.String(), suggestions: Type.Integer() })),
    }),
  },
}

export const listSuggestions = {
  tags,
  summary: 'What was suggested, in the order of the file',
  params: runParams,
  querystring: Type.Object({
    limit: PageQuery.properties.limit,
    cursor: PageQuery.properties.cursor,
    status: Type.Enum(['open', 'accepted', 'dismissed'], { default: 'open' }),
  }),
  response: { 200: pageOf(SuggestionResource) },
}

const params = Type.Object({ id: Id, suggestionId: Id })
const Note = Type.Optional(Type.String({ minLength: 1, maxLength: 2_000 }))

export const acceptOne = {
  tags,
  summary: 'Match a record as it was suggested',
  params,
  body: Type.Union([
    Type.Object({
      reason: Note,
      version: Type.Optional(Type.Integer({ minimum: 0 })),
      adjustmentKind: Type.Optional(Kind),
    }),
    Type.Null(),
  ]),
  response: { 200: RecordResource, 202: ProposalResource },
}
export const dismissOne = {
  tags,
  summary: 'Say no to a suggestion: it does not come again',
  params,
  body: Type.Union([Type.Object({ reason: Note }), Type.Null()]),
  response: { 200: SuggestionResource },
}
