import { decodeCursor, toPage, type App } from '@posthorn/http'
import type { Pool } from 'pg'
import { Type } from 'typebox'
import type { FourEyes } from '../../approvals/four-eyes.ts'
import { proposalResource } from '../../approvals/proposal.ts'
import { doOrPropose, type Proposed } from '../../approvals/propose.ts'
import { requireFound, memberOf } from '../owner.ts'
import { recordResource } from '../records/record.ts'
import { findRun } from '../runs/queries.ts'
import { PATH } from '../runs/routes.ts'
import { Id } from '../schemas.ts'
import { selectSuggestions } from './queries.ts'
import * as schemas from './schemas.ts'
import { acceptSuggestion, refuseSuggestion, suggest } from './suggest.ts'
import { suggestionResource } from './suggestion.ts'

const Place = Type.Tuple([Type.Tuple([Type.Integer({ minimum: 0, maximum: 2_147_483_647 }), Id])])
const START = [0, '00000000-0000-0000-0000-000000000000'] as const

export function suggestionRoutes(
  app: App,
  { pool, fourEyes }: { readonly pool: Pool; readonly fourEyes: FourEyes },
): void {
  app.post(`${PATH}/:id/suggest`, { schema: schemas.suggestMatches }, async (request) => {
    const key = { ...memberOf(request), id: request.params.id }
    const passes = await suggest(pool, key, request.body.passes)
    return { passes: [...passes] }
  })

  app.get(`${PATH}/:id/suggestions`, { schema: schemas.listSuggestions }, async (request) => {
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

  app.post(`${one}/accept`, { schema: schemas.acceptOne }, async (request, reply) => {
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

  app.post(`${one}/dismiss`, { schema: schemas.dismissOne }, async (request) => {
    const member = memberOf(request)
    const place = { key: { ...member, id: request.params.id }, id: request.params.suggestionId }
    const { reason: note = null } = request.body ?? {}
    return suggestionResource(await refuseSuggestion(pool, place, { by: member.user, note }))
  })
}
