import { transaction, type Log } from '@posthorn/engine'
import { callerOf, invalid, PageQuery, pageOf, sortable, type App } from '@posthorn/http'
import type { FastifyRequest } from 'fastify'
import type { Pool } from 'pg'
import { Type } from 'typebox'
import { Id } from '@posthorn/system'
import { problem } from '../problems.ts'
import { approve, changeLimits, reject, withdraw, type Executors } from './decide.ts'
import {
  limitOf,
  PROPOSAL_STATES,
  propose,
  ProposalResource,
  proposalResource,
  type FourEyes,
} from './proposal.ts'
import { findProposal, selectLimits, selectProposals, type Limit } from './queries.ts'

const tags = ['approvals']
const params = Type.Object({ id: Id })
const Reason = Type.String({
  minLength: 1,
  maxLength: 2_000,
  description: 'Reason, in your own words',
})
const OptionalReason = Type.Union([Type.Object({ reason: Type.Optional(Reason) }), Type.Null()])

const PROPOSAL_SORTS = sortable(['-proposedAt', 'proposedAt'])

const listProposals = {
  summary: 'Pending and decided approvals, newest first',
  tags,
  querystring: Type.Object({
    ...PageQuery.properties,
    sort: PROPOSAL_SORTS.parameter,
    status: Type.Optional(Type.Enum(PROPOSAL_STATES)),
  }),
  response: { 200: pageOf(ProposalResource) },
}

const one = (summary: string) => ({
  summary,
  tags,
  params,
  response: { 200: ProposalResource },
})

const readProposal = one('A proposal')

const approveProposal = {
  ...one("Approve another user's proposal and carry it out"),
  description:
    'The decision and its effect are stored in one transaction. If the action is no longer possible, the answer is the error of the direct call, and the proposal stays open.',
  body: OptionalReason,
}

const rejectProposal = {
  ...one("Reject another user's proposal"),
  body: Type.Object({ reason: Reason }),
}

const withdrawProposal = { ...one('Withdraw your own proposal'), body: OptionalReason }

const LimitResource = Type.Object({
  currency: Type.String({
    pattern: '^([A-Z]{3}|\\*)$',
    description: 'ISO 4217 code, or `*` for all other currencies',
  }),
  amount: Type.Union(
    [Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }), Type.Null()],
    {
      description: 'Largest amount, in minor units, that needs no second person; null: no limit',
    },
  ),
})

const Limits = Type.Object({
  limits: Type.Array(LimitResource, { description: 'Limits that the organisation has set' }),
  defaults: Type.Array(LimitResource, {
    description: 'Limits of currencies that the organisation has not set',
  }),
})

const readLimits = {
  summary: 'Amounts above which a second person must approve',
  tags,
  response: { 200: Limits },
}

const writeLimits = {
  summary: 'Set the amounts above which a second person must approve',
  description:
    'A lower limit takes effect at once. Raising or removing one returns 202 with a proposal that a second admin must approve.',
  tags,
  body: Type.Object({ limits: Type.Array(LimitResource, { maxItems: 200 }) }),
  response: { 200: Limits, 202: ProposalResource },
}

export interface ApprovalRoutesOptions {
  readonly pool: Pool
  readonly fourEyes: FourEyes
  readonly executors: Executors
  readonly log: Log
}

const PATH = '/api/v1/approvals'
const LIMITS = '/api/v1/approval-limits'
const APPROVER = { access: 'approve' } as const

export function approvalRoutes(app: App, options: ApprovalRoutesOptions): void {
  const { pool, fourEyes } = options

  app.get(PATH, { schema: listProposals }, async (request) => {
    const { query } = request
    const before = PROPOSAL_SORTS.placeIn(query, Id)
    const { org } = callerOf(request)
    const rows = await selectProposals(pool, { ...query, org, before, limit: query.limit + 1 })
    return PROPOSAL_SORTS.page(rows, query, { item: proposalResource, after: ({ id }) => id })
  })

  app.get(`${PATH}/:id`, { schema: readProposal }, async (request) => {
    const { id } = request.params
    const proposal = await findProposal(pool, { id, org: callerOf(request).org })
    if (!proposal) throw problem('NOT_FOUND', { detail: 'There is no such proposal.' })
    return proposalResource(proposal)
  })

  const deciderIn = (request: FastifyRequest) => {
    const { reason = null } = (request.body ?? {}) as { readonly reason?: string }
    return { caller: callerOf(request), reason }
  }

  const approving = { schema: approveProposal, config: APPROVER }
  app.post(`${PATH}/:id/approve`, approving, async (request) =>
    proposalResource(await approve(options, request.params.id, deciderIn(request))),
  )

  app.post(`${PATH}/:id/reject`, { schema: rejectProposal, config: APPROVER }, async (request) =>
    proposalResource(await reject(options, request.params.id, deciderIn(request))),
  )

  app.post(`${PATH}/:id/withdraw`, { schema: withdrawProposal }, async (request) =>
    proposalResource(await withdraw(pool, request.params.id, deciderIn(request))),
  )

  app.get(LIMITS, { schema: readLimits }, async (request) => ({
    limits: await selectLimits(pool, callerOf(request).org),
    defaults: [...fourEyes.defaults],
  }))

  app.put(
    LIMITS,
    { schema: writeLimits, config: { access: 'administer' } },
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
        await changeLimits(tx, { org, by, limits })
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
