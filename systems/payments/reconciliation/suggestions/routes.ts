import { decodeCursor, toPage, PageQuery, pageOf, type App } from '@posthorn/http'
import type { Pool } from 'pg'
import { Type } from 'typebox'
import type { FourEyes } from '../../approvals/proposal.ts'
import { proposalResource, ProposalResource } from '../../approvals/proposal.ts'
import { doOrPropose, type Proposed } from '../../approvals/proposal.ts'
import { requireFound, memberOf } from '../owner.ts'
import { recordResource } from '../records/record.ts'
import { findRun } from '../runs/queries.ts'
import { PATH } from '../runs/routes.ts'
import { Id, RecordResource, SuggestionResource, runParams, tags } from '../schemas.ts'
import { selectSuggestions } from './queries.ts'
import { acceptSuggestion, refuseSuggestion, suggest } from './suggest.ts'
import { suggestionResource } from './suggestion.ts'
import { Kind } from '../decisions/routes.ts'

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

const suggestMatches = {
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

const listSuggestions = {
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

const acceptOne = {
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
const dismissOne = {
  tags,
  summary: 'Say no to a suggestion: it does not come again',
  params,
  body: Type.Union([Type.Object({ reason: Note }), Type.Null()]),
  response: { 200: SuggestionResource },
}

const Place = Type.Tuple([Type.Tuple([Type.Integer({ minimum: 0, maximum: 2_147_483_647 }), Id])])
const START = [0, '00000000-0000-0000-0000-000000000000'] as const

export function suggestionRoutes(
  app: App,
  { pool, fourEyes }: { readonly pool: Pool; readonly fourEyes: FourEyes },
): void {
  app.post(`${PATH}/:id/suggest`, { schema: suggestMatches }, async (request) => {
    const key = { ...memberOf(request), id: request.params.id }
    const passes = await suggest(pool, key, request.body.passes)
    return { passes: [...passes] }
  })

  app.get(`${PATH}/:id/suggestions`, { schema: listSuggestions }, async (request) => {
    const { limit, cursor, status } = request.query
    const key = { ...memberOf(request), id: request.params.id }
    const { id: runId } = requireFound(await findRun(pool, key), 'reconciliation')
    const after = cursor === undefined ? START : decodeCursor(cursor, Place)[0]
    const rows = await selectSuggestions(pool, { runId, status, after, limit: limit + 1 })
    return toPage(rows, limit, {
      item: suggestionResource,
      after: ({ line_number: line, id }) => [line, id],
    })
  })

  const one = `${PATH}/:id/suggestions/:suggestionId`

  app.post(`${one}/accept`, { schema: acceptOne }, async (request, reply) => {
    const member = memberOf(request)
    const place = { key: { ...member, id: request.params.id }, id: request.params.suggestionId }
    const { reason: note = null, version, adjustmentKind } = request.body ?? {}
    const { org, user: by } = member
    const { id: runId, suggestionId } = request.params
    const asked = { runId, suggestionId, note, version, adjustmentKind }
    const proposed: Proposed = {
      ...{ org, by, kind: 'decision', subject: `${runId}/suggestions/${suggestionId}` },
      ...{ request: asked, reason: note, requestKey: null },
    }
    const outcome = await doOrPropose(pool, proposed, () =>
      acceptSuggestion(pool, place, { by, note, version, adjustmentKind, approval: fourEyes }),
    )
    if ('proposal' in outcome) return reply.code(202).send(proposalResource(outcome.proposal))
    return reply.code(200).send(recordResource(outcome.done))
  })

  app.post(`${one}/dismiss`, { schema: dismissOne }, async (request) => {
    const member = memberOf(request)
    const place = { key: { ...member, id: request.params.id }, id: request.params.suggestionId }
    const { reason: note = null } = request.body ?? {}
    return suggestionResource(await refuseSuggestion(pool, place, { by: member.user, note }))
  })
}
