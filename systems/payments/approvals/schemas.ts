import { PageQuery, pageOf, sortable } from '@posthorn/http'
import { Type } from 'typebox'
import { PROPOSAL_KINDS, PROPOSAL_STATES } from './proposal.ts'

const tags = ['approvals']
const Text = Type.Union([Type.String(), Type.Null()])
const Time = Type.String({ format: 'date-time' })
const Fields = Type.Record(Type.String(), Type.Unknown())

/** What waits for a second person, or did. */
export const ProposalResource = Type.Object({
  id: Type.String({ format: 'uuid' }),
  kind: Type.Enum(PROPOSAL_KINDS),
  subject: Type.String({
    description: 'the payment, `run/line` of a record, the run, or `limits`',
  }),
  request: Fields,
  amount: Type.Union([Type.Number(), Type.Null()], { description: 'in minor units' }),
  currency: Text,
  reason: Text,
  status: Type.Enum(PROPOSAL_STATES),
  result: Type.Union([Fields, Type.Null()]),
  proposedBy: Type.String(),
  proposedAt: Time,
  expiresAt: Time,
  decidedBy: Text,
  decidedAt: Type.Union([Time, Type.Null()]),
  decisionReason: Text,
})

const params = Type.Object({ id: Type.String({ format: 'uuid' }) })
const Reason = Type.String({ minLength: 1, maxLength: 2_000, description: 'why, in your words' })
const OptionalReason = Type.Union([Type.Object({ reason: Type.Optional(Reason) }), Type.Null()])

export const PROPOSAL_SORTS = sortable(['-proposedAt', 'proposedAt'])

export const listProposals = {
  summary: 'What waits for a second person, and what was decided; newest first',
  tags,
  querystring: Type.Object({
    ...PageQuery.properties,
    sort: PROPOSAL_SORTS.parameter,
    status: Type.Optional(Type.Enum(PROPOSAL_STATES)),
  }),
  response: { 200: pageOf(ProposalResource) },
}

export const readProposal = {
  summary: 'One proposal',
  tags,
  params,
  response: { 200: ProposalResource },
}

export const approveProposal = {
  summary: 'Approve what another user proposed; it is carried out, once',
  description:
    'The proposal and what it does are stored together. Where that is not possible any more, the answer is what the direct call would have answered, and the proposal waits on.',
  tags,
  params,
  body: OptionalReason,
  response: { 200: ProposalResource },
}

export const rejectProposal = {
  summary: 'Reject what another user proposed',
  tags,
  params,
  body: Type.Object({ reason: Reason }),
  response: { 200: ProposalResource },
}

export const withdrawProposal = {
  summary: 'Take a proposal of your own back',
  tags,
  params,
  body: OptionalReason,
  response: { 200: ProposalResource },
}

const Limit = Type.Object({
  currency: Type.String({ pattern: '^([A-Z]{3}|\\*)$', description: '`*` for all others' }),
  amount: Type.Union([Type.Integer({ minimum: 0, maximum: 999_999_999_999 }), Type.Null()], {
    description: 'in minor units: more takes a second person; null: never',
  }),
})

const Limits = Type.Object({
  limits: Type.Array(Limit, { description: "the organisation's own" }),
  defaults: Type.Array(Limit, { description: 'what holds for currencies that are not in them' }),
})

export const readLimits = {
  summary: 'Above which amounts a second person is needed',
  tags,
  response: { 200: Limits },
}

export const writeLimits = {
  summary: 'Set above which amounts a second person is needed',
  description:
    'Lower limits hold at once. To raise or remove one takes a second admin: 202 with the proposal.',
  tags,
  body: Type.Object({ limits: Type.Array(Limit, { maxItems: 200 }) }),
  response: { 200: Limits, 202: ProposalResource },
}
