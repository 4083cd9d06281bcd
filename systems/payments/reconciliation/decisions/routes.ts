import { invalid, type App } from '@posthorn/http'
import type { Pool } from 'pg'
import { ownerOf } from '../owner.ts'
import { recordResource } from '../records/record.ts'
import { PATH } from '../runs/routes.ts'
import { decide } from './decide.ts'
import type { Decision } from './decision.ts'
import * as schemas from './schemas.ts'

type Request = Parameters<typeof ownerOf>[0] & { params: { id: string; recordId: string } }

export function decisionRoutes(app: App, pool: Pool): void {
  const answer = async (request: Request, decision: Omit<Decision, 'by'>) => {
    const owner = ownerOf(request)
    const key = { ...owner, id: request.params.id }
    const place = { key, line: Number(request.params.recordId) }
    return recordResource(await decide(pool, place, { ...decision, by: owner.user }))
  }
  const record = `${PATH}/:id/records/:recordId`

  app.post(`${record}/match`, { schema: schemas.matchRecord }, async (request) => {
    const { reason: note, version, adjustment } = request.body
    const paymentIds = paymentsIn(request.body)
    if (adjustment?.amount === 0) {
      throw invalid([{ field: 'adjustment.amount', reason: 'must not be 0: leave it out' }])
    }
    return answer(request, { kind: 'match', note, version, paymentIds, adjustment })
  })

  app.post(`${record}/unmatch`, { schema: schemas.unmatchRecord }, async (request) => {
    const { reason: note, version } = request.body
    return answer(request, { kind: 'unmatch', note, version })
  })

  app.post(`${record}/ignore`, { schema: schemas.ignoreRecord }, async (request) => {
    const { reason: note, version } = request.body
    return answer(request, { kind: 'ignore', note, version })
  })

  app.post(`${record}/reopen`, { schema: schemas.reopenRecord }, async (request) => {
    const { reason: note, version } = request.body
    return answer(request, { kind: 'reopen', note, version })
  })
}

function paymentsIn(body: { paymentId?: string; paymentIds?: string[] }): string[] {
  const { paymentId, paymentIds = [] } = body
  const ids = [...(paymentId === undefined ? [] : [paymentId]), ...paymentIds]
  if (ids.length === 0 || (paymentId !== undefined && paymentIds.length > 0)) {
    throw invalid([{ field: 'paymentId', reason: 'or paymentIds is required, not both' }])
  }
  // As Postgres writes them, so that the same one twice is seen.
  return [...new Set(ids.map((id) => id.toLowerCase()))]
}
