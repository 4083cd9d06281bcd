import { Type } from 'typebox'
import { Id, NullableText, nullable, resource, time, type RowOf } from '@posthorn/system'

export const PROPOSAL_STATES = ['pending', 'approved', 'rejected', 'withdrawn', 'expired'] as const
export type ProposalStatus = (typeof PROPOSAL_STATES)[number]

const PROPOSAL_KINDS = ['refund', 'capture', 'void', 'decision', 'discard', 'limits'] as const
export type ProposalKind = (typeof PROPOSAL_KINDS)[number]

const Time = time({ format: 'date-time' })
const Fields = Type.Record(Type.String(), Type.Unknown())

/** What waits for a second person, or did. */
export const ProposalResource = Type.Object({
  id: Id,
  kind: Type.Enum(PROPOSAL_KINDS),
  subject: Type.String({
    description: 'the payment, `run/line` of a record, the run, or `limits`',
  }),
  request: Fields,
  amount: nullable(Type.Number(), { description: 'in minor units' }),
  currency: NullableText,
  reason: NullableText,
  status: Type.Enum(PROPOSAL_STATES),
  result: nullable(Fields),
  proposedBy: Type.String(),
  proposedAt: Time,
  expiresAt: Time,
  decidedBy: NullableText,
  decidedAt: nullable(Time),
  decisionReason: NullableText,
})

/** A row of `payments.proposals`. */
export interface Proposal extends RowOf<typeof ProposalResource> {
  readonly org_id: string
  readonly is_over: boolean
}

export const proposalResource = resource(ProposalResource)

/** What is proposed, and by whom. */
export interface NewProposal extends Pick<
  Proposal,
  'kind' | 'subject' | 'amount' | 'currency' | 'reason'
> {
  readonly org: string
  readonly by: string
  /** Everything that carrying it out takes. */
  readonly request: Readonly<Record<string, unknown>>
  readonly requestKey: string | null
}
