import { isDeepStrictEqual } from 'node:util'
import { transaction, uuid, type Transaction } from '@posthorn/engine'
import { announce } from '@posthorn/operate'
import type { Pool } from 'pg'
import { createAuditLog } from '../charges/queries.ts'
import { problem } from '../problems.ts'
import { tooMuch } from './four-eyes.ts'
import { proposalResource, type NewProposal, type Proposal } from './proposal.ts'
import { findByKey, findPending, insertProposal } from './queries.ts'

/** How long a proposal waits. */
export const EXPIRES = '7 days'

export const TOPIC = 'approvals'

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
  await record(tx, proposal, { action: 'proposal.created', actor: proposed.by })
  return proposal
}

/** The audit of a proposal, and a change notification for who has the page open. */
export async function record(
  tx: Transaction,
  proposal: Proposal,
  { action, actor }: { action: string; actor: string },
): Promise<void> {
  const { id, org_id: org, kind, subject, amount, currency, status } = proposal
  await createAuditLog(tx, {
    ...{ orgId: org, actor, action, entity: 'proposal', entityId: id },
    details: {
      ...{ kind, subject, amount, currency },
      reason: status === 'pending' ? proposal.reason : proposal.decision_reason,
      ...(status !== 'pending' && { proposedBy: proposal.proposed_by }),
    },
  })
  const data = { status: proposalResource(proposal).status, kind }
  await announce(tx, { topic: TOPIC, id, tenant: org, data })
}
