import { callerOf, decodeCursor, toPage, type App } from '@posthorn/http'
import { Id } from '@posthorn/system'
import type { Pool } from 'pg'
import { Type } from 'typebox'
import { ProposalResource, type FourEyes } from '../../approvals/proposal.ts'
import { answerDecision } from '../decisions/answer.ts'
import { AdjustmentKind, RecordResource } from '../records/record.ts'
import { keyOf, Line, listOf, ownRun, PATH, runParams, tags } from '../request.ts'
import { selectSuggestions } from './queries.ts'
import { refuseSuggestion, suggest } from './suggest.ts'
import { Pass, SuggestionResource, suggestionResource } from './suggestion.ts'

const suggestMatches = {
  tags,
  summary: 'Suggest matches without matching',
  params: runParams,
  body: Type.Object({
    passes: Type.Array(Pass, { minItems: 1, maxItems: 10 }),
  }),
  response: {
    200: Type.Object({
      passes: Type.Array(Type.Object({ kind: Type.String(), suggestions: Type.Integer() })),
    }),
  },
}

const listSuggestions = {
  ...listOf(SuggestionResource, {
    status: Type.Enum(['open', 'accepted', 'dismissed'], { default: 'open' }),
  }),
  summary: 'Suggestions, in the order of the file',
}

const params = Type.Object({ id: Id, suggestionId: Id })
const Note = Type.Optional(Type.String({ minLength: 1, maxLength: 2_000 }))

const acceptOne = {
  tags,
  summary: 'Accept a suggestion and match its record',
  params,
  body: Type.Union([
    Type.Object({
      reason: Note,
      version: Type.Optional(Type.Integer({ minimum: 0 })),
      adjustmentKind: Type.Optional(AdjustmentKind),
    }),
    Type.Null(),
  ]),
  response: { 200: RecordResource, 202: ProposalResource },
}
const dismissOne = {
  tags,
  summary: 'Reject a suggestion; it is not made again',
  params,
  body: Type.Union([Type.Object({ reason: Note }), Type.Null()]),
  response: { 200: SuggestionResource },
}

const Place = Type.Tuple([Type.Tuple([Line, Id])])
const START = [0, '00000000-0000-0000-0000-000000000000'] as const

export function suggestionRoutes(
  app: App,
  options: { readonly pool: Pool; readonly fourEyes: FourEyes },
): void {
  const { pool } = options
  app.post(`${PATH}/:id/suggest`, { schema: suggestMatches }, async (request) => ({
    passes: await suggest(pool, keyOf(request), request.body.passes),
  }))

  app.get(`${PATH}/:id/suggestions`, { schema: listSuggestions }, async (request) => {
    const { limit, cursor, status } = request.query
    const { id: runId } = await ownRun(pool, request)
    const after = cursor === undefined ? START : decodeCursor(cursor, Place)[0]
    const rows = await selectSuggestions(pool, { runId, status, after, limit: limit + 1 })
    return toPage(rows, limit, {
      item: suggestionResource,
      after: ({ line_number: line, id }) => [line, id],
    })
  })

  const one = `${PATH}/:id/suggestions/:suggestionId`

  app.post(`${one}/accept`, { schema: acceptOne }, async (request, reply) => {
    const { suggestionId } = request.params
    const { reason: note = null, version, adjustmentKind } = request.body ?? {}
    const asked = { suggestionId, note, version, adjustmentKind }
    return answerDecision(options, { request, reply }, asked)
  })

  app.post(`${one}/dismiss`, { schema: dismissOne }, async (request) => {
    const given = { by: callerOf(request).sub, note: request.body?.reason ?? null }
    const place = { key: keyOf(request), id: request.params.suggestionId }
    return suggestionResource(await refuseSuggestion(pool, place, given))
  })
}
