import { isDeepStrictEqual } from 'node:util'
import { transaction, uuid, type Queryable, type Transaction } from '@posthorn/engine'
import { ProblemError } from '@posthorn/http'
import { announce } from '@posthorn/operate'
import { Id, NullableText, nullable, resource, time, type RowOf } from '@posthorn/system'
import type { Pool } from 'pg'
import { Type } from 'typebox'
import { problem } from '../problems.ts'
import { tasks } from '../tasks.ts'
import { recordAudit } from '../queries.ts'
import { findByKey, findPending, insertProposal, selectLimits, type Limit } from './queries.ts'

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
    description: 'Id of the payment or run, `run/line` of a record, or `limits`',
  }),
  request: Fields,
  amount: nullable(Type.Number(), { description: 'Amount in minor units' }),
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

/** How much, of whom. */
export interface Weighed {
  readonly org: string
  readonly currency: string
  /** In minor units, of either sign. */
  readonly amount: number
}

/** Above which amounts a second person is needed. */
export interface FourEyes {
  /** What holds where an organisation has said nothing. */
  readonly defaults: readonly Limit[]
}

/** Whether an act is to be weighed, or was approved already. */
export type Approval = FourEyes | 'approved'

/** Throws `APPROVAL_REQUIRED` for what is above the limit and not approved. */
export async function requireApproval(
  db: Queryable,
  approval: Approval,
  { org, currency, amount }: Weighed,
): Promise<void> {
  if (approval === 'approved') return
  const limits = [...(await selectLimits(db, org)), ...approval.defaults]
  const limit = limitOf(limits, currency)
  if (limit === null || Math.abs(amount) <= limit) return
  throw problem('APPROVAL_REQUIRED', {
    detail: `More than ${limit} ${currency} (minor units) takes a second person.`,
    extensions: { amount: Math.abs(amount), currency, limit },
  })
}

/** The limit of a currency, null if there is none: the organisation's own words come first. */
export function limitOf(limits: readonly Limit[], currency: string): number | null {
  const found =
    limits.find((each) => each.currency === currency) ??
    limits.find((each) => each.currency === '*')
  return found?.amount ?? null
}

/** The limits of a setting, as `EUR=100000,*=0`. */
export function readLimits(setting: string | undefined): Limit[] {
  if (setting === undefined) return []
  return setting.split(',').map((pair) => {
    const [currency = '', amount = ''] = pair.split('=')
    return { currency, amount: Number(amount) }
  })
}

/** What was too much, if that is why something was refused. */
function tooMuch(error: unknown): { amount: number; currency: string } | undefined {
  if (!(error instanceof ProblemError) || error.code !== 'APPROVAL_REQUIRED') return undefined
  const { amount, currency } = error.extensions as { amount: number; currency: string }
  return { amount, currency }
}

/** How long a proposal waits. */
const EXPIRES = '7d'

const TOPIC = 'approvals'

/** What is to be proposed if it takes a second person; how much it is, the refusal says. */
export type Proposed = Omit<NewProposal, 'amount' | 'currency'>

/** Does something, or proposes it where it takes a second person. */
export async function doOrPropose<Done>(
  pool: Pool,
  proposed: Proposed,
  work: () => Promise<Done>,
): Promise<{ readonly done: Done } | { readonly proposal: Proposal }> {
  const earlier = await findEarlier(pool, proposed)
  if (earlier) return { proposal: earlier }
  try {
    return { done: await work() }
  } catch (error) {
    const much = tooMuch(error)
    if (!much) throw error
    return { proposal: await transaction(pool, (tx) => propose(tx, { ...proposed, ...much })) }
  }
}

/** What the same request, by its key, has proposed already. */
async function findEarlier(pool: Pool, proposed: Proposed): Promise<Proposal | undefined> {
  const { org, by, requestKey: key, kind, subject, request } = proposed
  const found = key === null ? undefined : await findByKey(pool, { org, by, key })
  if (!found) return undefined
  const isSame =
    found.kind === kind &&
    found.subject === subject &&
    isDeepStrictEqual(found.request, JSON.parse(JSON.stringify(request)))
  if (!isSame) throw problem('IDEMPOTENCY_KEY_REUSED')
  return found
}

export async function propose(tx: Transaction, proposed: NewProposal): Promise<Proposal> {
  const proposal = await insertProposal(tx, { ...proposed, id: uuid(), expires: EXPIRES })
  if (!proposal) {
    const waiting = await findPending(tx, proposed)
    throw problem('PROPOSAL_PENDING', { extensions: { proposalId: waiting?.id ?? null } })
  }
  await tasks.enqueue(tx, 'proposal.expire', { id: proposal.id }, { delay: EXPIRES })
  await tellProposal(tx, proposal, { action: 'proposal.created', actor: proposed.by })
  return proposal
}

/** The audit of a proposal, and a change notification for who has the page open. */
export async function tellProposal(
  tx: Transaction,
  proposal: Proposal,
  { action, actor }: { action: string; actor: string },
): Promise<void> {
  const { id, org_id: org, kind, subject, amount, currency, status } = proposal
  await recordAudit(tx, {
    ...{ org, actor, action, entity: 'proposal', entityId: id },
    details: {
      ...{ kind, subject, amount, currency },
      reason: status === 'pending' ? proposal.reason : proposal.decision_reason,
      ...(status !== 'pending' && { proposedBy: proposal.proposed_by }),
    },
  })
  const data = { status: proposalResource(proposal).status, kind }
  await announce(tx, { topic: TOPIC, id, tenant: org, data })
}
