import { invalid, type App } from '@posthorn/http'
import type { FastifyReply } from 'fastify'
import type { Pool } from 'pg'
import type { FourEyes } from '../../approvals/four-eyes.ts'
import { proposalResource } from '../../approvals/proposal.ts'
import { doOrPropose, type Proposed } from '../../approvals/propose.ts'
import { memberOf } from '../owner.ts'
import { recordResource } from '../records/record.ts'
import { PATH } from '../runs/routes.ts'
import type { Static } from 'typebox'
import { decideAll } from './bulk.ts'
import { decide } from './decide.ts'
import type { Adjustment, Decision } from './decision.ts'
import * as schemas from './schemas.ts'

type Request = Parameters<typeof memberOf>[0] & { params: { id: string; recordId: string } }

export function decisionRoutes(
  app: App,
  { pool, fourEyes }: { readonly pool: Pool; readonly fourEyes: FourEyes },
): void {
  const answer = async (
    request: Request,
    decision: Omit<Decision, 'by' | 'approval'>,
    reply: FastifyReply,
  ) => {
    const member = memberOf(request)
    const key = { ...member, id: request.params.id }
    const place = { key, line: Number(request.params.recordId) }
    const { org, user: by } = member
    const asked = { runId: key.id, line: place.line, decision }
    const proposed: Proposed = {
      ...{ org, by, kind: 'decision', subject: `${key.id}/${place.line}` },
      ...{ request: asked, reason: decision.note, requestKey: null },
    }
    const outcome = await doOrPropose(pool, proposed, () =>
      decide(pool, place, { ...decision, by, approval: fourEyes }),
    )
    if ('proposal' in outcome) return reply.code(202).send(proposalResource(outcome.proposal))
    return reply.code(200).send(recordResource(outcome.done))
  }
  const record = `${PATH}/:id/records/:recordId`

  app.post(`${record}/match`, { schema: schemas.matchRecord }, async (request, reply) => {
    const { reason: note, version, paymentId, ...match } = request.body
    if (paymentId !== undefined && match.paymentIds !== undefined) {
      throw invalid([{ field: 'paymentId', reason: 'or paymentIds is required, not both' }])
    }
    const paymentIds = paymentId === undefined ? match.paymentIds : [paymentId]
    return answer(request, { note, version, ...matchIn({ ...match, paymentIds }, '') }, reply)
  })

  app.post(`${PATH}/:id/decisions`, { schema: schemas.decideMany }, async (request) => {
    const { user: by, org } = memberOf(request)
    const { reason: note, decisions } = request.body
    const signed = { by, note, approval: fourEyes }
    const items = decisions.map((asked, index) => itemOf(asked, { ...signed, index }))
    const outcomes = await decideAll(pool, { org, id: request.params.id }, items)
    return {
      applied: outcomes.flatMap((outcome) =>
        'record' in outcome ? [recordResource(outcome.record)] : [],
      ),
      refused: outcomes.flatMap((outcome, index) => {
        if ('record' in outcome) return []
        const { do: _, ...asked } = decisions[index] as Asked
        const about =
          'recordId' in asked ? { recordId: asked.recordId } : { suggestionId: asked.suggestionId }
        return [{ index, ...about, code: outcome.code, detail: outcome.detail }]
      }),
    }
  })

  app.post(`${record}/unmatch`, { schema: schemas.unmatchRecord }, async (request, reply) => {
    const { reason: note, version } = request.body
    return answer(request, { kind: 'unmatch', note, version }, reply)
  })

  app.post(`${record}/ignore`, { schema: schemas.ignoreRecord }, async (request, reply) => {
    const { reason: note, version } = request.body
    return answer(request, { kind: 'ignore', note, version }, reply)
  })

  app.post(`${record}/reopen`, { schema: schemas.reopenRecord }, async (request, reply) => {
    const { reason: note, version } = request.body
    return answer(request, { kind: 'reopen', note, version }, reply)
  })
}

interface MatchBody {
  readonly paymentIds?: readonly string[] | undefined
  readonly refundIds?: readonly string[] | undefined
  readonly part?: boolean
  readonly adjustment?: Adjustment
}

/** What a match is with; or what is wrong with that, by its place in the body. */
function matchIn({ paymentIds, refundIds, part, adjustment }: MatchBody, place: string) {
  // As Postgres writes them, so that the same one twice is seen.
  const plain = (ids: readonly string[] = []) => [...new Set(ids.map((id) => id.toLowerCase()))]
  const payments = plain(paymentIds)
  const refunds = plain(refundIds)
  if (payments.length + refunds.length === 0) {
    throw invalid([{ field: `${place}paymentIds`, reason: 'or refundIds is required' }])
  }
  if (part === true && (payments.length !== 1 || refunds.length > 0)) {
    throw invalid([{ field: `${place}part`, reason: 'needs one payment, and no refund' }])
  }
  if (adjustment?.amount === 0) {
    throw invalid([{ field: `${place}adjustment.amount`, reason: 'must not be 0: leave it out' }])
  }
  const chosen = { paymentIds: payments, refundIds: refunds, isPart: part === true, adjustment }
  return { kind: 'match' as const, ...chosen }
}

type Asked = Static<typeof schemas.decideMany.body>['decisions'][number]

function itemOf(
  asked: Asked,
  given: { by: string; note: string; approval: FourEyes; index: number },
) {
  const { by, note, approval, index } = given
  if (asked.do === 'accept') return { suggestionId: asked.suggestionId, by, note, approval }
  const about = { by, note, approval, version: asked.version }
  const decision =
    asked.do === 'match'
      ? { ...about, ...matchIn(asked, `decisions.${index}.`) }
      : { ...about, kind: asked.do }
  return { line: Number(asked.recordId), decision }
}
