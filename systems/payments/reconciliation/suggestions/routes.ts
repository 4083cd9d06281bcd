import { callerOf, decodeCursor, toPage, type App } from '@posthorn/http'
import { Id } from '@posthorn/system'
import type { Pool } from 'pg'
import { Type } from 'typebox'
import {
  doOrPropose,
  ProposalResource,
  proposalResource,
  type FourEyes,
  type Proposed,
} from '../../approvals/proposal.ts'
import { AdjustmentKind, RecordResource, recordResource } from '../records/record.ts'
import { keyOf, Line, listOf, ownRun, PATH, runParams, tags, type RunRequest } from '../request.ts'
import { selectSuggestions } from './queries.ts'
import { acceptSuggestion, refuseSuggestion, suggest } from './suggest.ts'
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
  { pool, fourEyes }: { readonly pool: Pool; readonly fourEyes: FourEyes },
): void {
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
    const { id: runId, suggestionId } = request.params
    const { reason: note = null, version, adjustmentKind } = request.body ?? {}
    const { org, sub: by } = callerOf(request)
    const answer = { note, version, adjustmentKind }
    const proposed: Proposed = {
      ...{ org, by, kind: 'decision', subject: `${runId}/suggestions/${suggestionId}` },
      ...{ request: { runId, suggestionId, ...answer }, reason: note, requestKey: null },
    }
    const outcome = await doOrPropose(pool, proposed, () =>
      acceptSuggestion(pool, placeOf(request), { by, ...answer, approval: fourEyes }),
    )
    if ('proposal' in outcome) return reply.code(202).send(proposalResource(outcome.proposal))
    return reply.code(200).send(recordResource(outcome.done))
  })

  app.post(`${one}/dismiss`, { schema: dismissOne }, async (request) => {
    const given = { by: callerOf(request).sub, note: request.body?.reason ?? null }
    return suggestionResource(await refuseSuggestion(pool, placeOf(request), given))
  })
}

function placeOf(request: RunRequest & { readonly params: { readonly suggestionId: string } }) {
  return { key: keyOf(request), id: request.params.suggestionId }
}
