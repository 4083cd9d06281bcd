import { decodeCursor, toPage, type App } from '@posthorn/http'
import type { Pool } from 'pg'
import { Type } from 'typebox'
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

export function suggestionRoutes(app: App, pool: Pool): void {
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

  app.post(`${one}/accept`, { schema: schemas.acceptOne }, async (request) => {
    const member = memberOf(request)
    const place = { key: { ...member, id: request.params.id }, id: request.params.suggestionId }
    const { reason: note = null, version, adjustmentKind } = request.body ?? {}
    const answer = { by: member.user, note, version, adjustmentKind }
    return recordResource(await acceptSuggestion(pool, place, answer))
  })

  app.post(`${one}/dismiss`, { schema: schemas.dismissOne }, async (request) => {
    const member = memberOf(request)
    const place = { key: { ...member, id: request.params.id }, id: request.params.suggestionId }
    const { reason: note = null } = request.body ?? {}
    return suggestionResource(await refuseSuggestion(pool, place, { by: member.user, note }))
  })
}
