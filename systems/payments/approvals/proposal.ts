export const PROPOSAL_STATES = ['pending', 'approved', 'rejected', 'withdrawn', 'expired'] as const
export type ProposalStatus = (typeof PROPOSAL_STATES)[number]

export const PROPOSAL_KINDS = [
  'refund',
  'capture',
  'void',
  'decision',
  'discard',
  'limits',
] as const
export type ProposalKind = (typeof PROPOSAL_KINDS)[number]

/** A row of `payments.proposals`. */
export interface Proposal {
  readonly id: string
  readonly org_id: string
  readonly kind: ProposalKind
  readonly subject: string
  readonly request: Readonly<Record<string, unknown>>
  readonly amount: number | null
  readonly currency: string | null
  readonly reason: string | null
  readonly status: ProposalStatus
  readonly proposed_by: string
  readonly proposed_at: Date
  readonly expires_at: Date
  readonly is_over: boolean
  readonly decided_by: string | null
  readonly decided_at: Date | null
  readonly decision_reason: string | null
  readonly result: Readonly<Record<string, unknown>> | null
}

/** What is proposed, and by whom. */
export interface NewProposal {
  readonly org: string
  readonly by: string
  readonly kind: ProposalKind
  readonly subject: string
  /** Everything that carrying it out takes. */
  readonly request: Readonly<Record<string, unknown>>
  readonly amount: number | null
  readonly currency: string | null
  readonly reason: string | null
  readonly requestKey: string | null
}

export function proposalResource(proposal: Proposal) {
  const { id, kind, subject, request, amount, currency, reason, status, result } = proposal
  return {
    ...{ id, kind, subject, request, amount, currency, reason, status, result },
    proposedBy: proposal.proposed_by,
    proposedAt: proposal.proposed_at.toISOString(),
    expiresAt: proposal.expires_at.toISOString(),
    decidedBy: proposal.decided_by,
    decidedAt: proposal.decided_at?.toISOString() ?? null,
    decisionReason: proposal.decision_reason,
  }
}
