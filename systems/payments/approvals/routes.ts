import { transaction, type Log } from '@posthorn/engine'
import { callerOf, invalid, type App } from '@posthorn/http'
import type { Pool } from 'pg'
import { Type } from 'typebox'
import { createAuditLog } from '../charges/queries.ts'
import { problem } from '../problems.ts'
import { approve, reject, withdraw, type Executors } from './decide.ts'
import { limitOf, type FourEyes } from './four-eyes.ts'
import { proposalResource } from './proposal.ts'
import { propose } from './propose.ts'
import {
  findProposal,
  replaceLimits,
  selectLimits,
  selectProposals,
  type Limit,
} from './queries.ts'
import * as schemas from './schemas.ts'

export interface ApprovalRoutesOptions {
  readonly pool: Pool
  readonly fourEyes: FourEyes
  readonly executors: Executors
  readonly log: Log
}

const PATH = '/api/v1/approvals'
const LIMITS = '/api/v1/approval-limits'
const Id = Type.String({ format: 'uuid' })
const APPROVER = { access: 'approve' } as const

export function approvalRoutes(app: App, options: ApprovalRoutesOptions): void {
  const { pool, fourEyes } = options

  app.get(PATH, { schema: schemas.listProposals }, async (request) => {
    const { limit, sort, status = null } = request.query
    const before = schemas.PROPOSAL_SORTS.placeIn(request.query, Id)
    const page = { org: callerOf(request).org, status, before, sort, limit: limit + 1 }
    const rows = await selectProposals(pool, page)
    return schemas.PROPOSAL_SORTS.page(rows, request.query, {
      item: proposalResource,
      after: ({ id }) => id,
    })
  })

  app.get(`${PATH}/:id`, { schema: schemas.readProposal }, async (request) => {
    const { id } = request.params
    const proposal = await findProposal(pool, { id, org: callerOf(request).org })
    if (!proposal) throw problem('NOT_FOUND', { detail: 'There is no such proposal.' })
    return proposalResource(proposal)
  })

  app.post(
    `${PATH}/:id/approve`,
    { schema: schemas.approveProposal, config: APPROVER },
    async (request) => {
      const decider = { caller: callerOf(request), reason: request.body?.reason ?? null }
      return proposalResource(await approve(options, request.params.id, decider))
    },
  )

  app.post(
    `${PATH}/:id/reject`,
    { schema: schemas.rejectProposal, config: APPROVER },
    async (request) => {
      const decider = { caller: callerOf(request), reason: request.body.reason }
      return proposalResource(await reject(options, request.params.id, decider))
    },
  )

  app.post(`${PATH}/:id/withdraw`, { schema: schemas.withdrawProposal }, async (request) => {
    const decider = { caller: callerOf(request), reason: request.body?.reason ?? null }
    return proposalResource(await withdraw(pool, request.params.id, decider))
  })

  app.get(LIMITS, { schema: schemas.readLimits }, async (request) => ({
    limits: await selectLimits(pool, callerOf(request).org),
    defaults: [...fourEyes.defaults],
  }))

  app.put(
    LIMITS,
    { schema: schemas.writeLimits, config: { access: 'administer' } },
    async (request, reply) => {
      const { org, sub: by } = callerOf(request)
      const { limits } = request.body
      if (new Set(limits.map(({ currency }) => currency)).size < limits.length) {
        throw invalid([{ field: 'limits', reason: 'must name each currency once' }])
      }
      const proposal = await transaction(pool, async (tx) => {
        const before = await selectLimits(tx, org)
        if (isRaised([...before, ...fourEyes.defaults], [...limits, ...fourEyes.defaults])) {
          const about = { kind: 'limits', subject: 'limits', request: { limits } } as const
          const nothing = { amount: null, currency: null, reason: null, requestKey: null }
          return propose(tx, { org, by, ...about, ...nothing })
        }
        await replaceLimits(tx, { org, by, limits })
        await createAuditLog(tx, {
          ...{ orgId: org, actor: by, action: 'approval_limits.changed' },
          ...{ entity: 'approval_limits', entityId: org, details: { limits } },
        })
        return undefined
      })
      if (proposal) return reply.code(202).send(proposalResource(proposal))
      return reply.code(200).send({ limits, defaults: [...fourEyes.defaults] })
    },
  )
}

/** Whether something that takes two persons now would then take one. */
function isRaised(before: readonly Limit[], after: readonly Limit[]): boolean {
  const currencies = new Set([...before, ...after].map(({ currency }) => currency))
  return [...currencies].some((currency) => {
    const was = limitOf(before, currency)
    const becomes = limitOf(after, currency)
    return was !== null && (becomes === null || becomes > was)
  })
}
