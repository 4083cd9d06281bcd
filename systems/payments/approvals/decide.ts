import { transaction, type Log, type Transaction } from '@posthorn/engine'
import type { IdempotencyStore } from '@posthorn/engine/inbox'
import type { Gateway } from '@posthorn/gateway'
import { requirePermission, type Caller, type Permission } from '@posthorn/http'
import type { Pool } from 'pg'
import { drive } from '../charges/drive.ts'
import { beginMove, type MoveAsked } from '../charges/work.ts'
import { problem } from '../problems.ts'
import { recordAudit } from '../queries.ts'
import { decideIn, type Asked } from '../reconciliation/decisions/answer.ts'
import { discardIn } from '../reconciliation/decisions/discard.ts'
import { tellProposal, type Proposal, type ProposalKind } from './proposal.ts'
import {
  closeProposal,
  expireProposal,
  lockProposal,
  replaceLimits,
  type Limit,
} from './queries.ts'

/** What came of carrying a proposal out, and what is left to do after the commit. */
export interface Executed {
  readonly result: Readonly<Record<string, unknown>>
  /** Another process does it if this one dies first. */
  finish?(): Promise<unknown>
}

export interface Executor {
  /** What deciding about it takes. */
  readonly permission: Permission
  execute(tx: Transaction, proposal: Proposal): Promise<Executed>
}

export type Executors = Readonly<Record<ProposalKind, Executor>>

/** Who decides, and in which words. */
export interface Decider {
  readonly caller: Caller
  readonly reason: string | null
}

/**
 * Approves a proposal and carries it out in the same transaction, so that neither is there without
 * the other. What is refused then (the payment has changed) leaves the proposal as it was.
 */
export async function approve(
  { pool, executors, log }: { pool: Pool; executors: Executors; log: Log },
  id: string,
  decider: Decider,
): Promise<Proposal> {
  const { approved, finish } = await transaction(pool, async (tx) => {
    const proposal = await openProposal(tx, executors, { id, caller: decider.caller })
    const executed = await executors[proposal.kind].execute(tx, proposal)
    const closed = await close(tx, id, { status: 'approved', ...decider, result: executed.result })
    return { approved: closed, finish: executed.finish }
  })
  try {
    await finish?.()
  } catch (error) {
    log.error({ err: error, proposal: id }, 'approved work failed; the completer will retry it')
  }
  return approved
}

export async function reject(
  { pool, executors }: { pool: Pool; executors: Executors },
  id: string,
  decider: Decider,
): Promise<Proposal> {
  return transaction(pool, async (tx) => {
    await openProposal(tx, executors, { id, caller: decider.caller })
    return close(tx, id, { status: 'rejected', ...decider })
  })
}

export async function withdraw(pool: Pool, id: string, decider: Decider): Promise<Proposal> {
  return transaction(pool, async (tx) => {
    const proposal = await lockPending(tx, { id, org: decider.caller.org })
    if (proposal.proposed_by !== decider.caller.sub) throw problem('NOT_THE_PROPOSER')
    return close(tx, id, { status: 'withdrawn', ...decider })
  })
}

interface Closed extends Decider {
  readonly status: 'approved' | 'rejected' | 'withdrawn'
  readonly result?: Executed['result'] | null
}

async function close(
  tx: Transaction,
  id: string,
  { status, caller: { sub: by }, reason, result = null }: Closed,
): Promise<Proposal> {
  const closed = await closeProposal(tx, { id, status, by, reason, result })
  await tellProposal(tx, closed, { action: `proposal.${status}`, actor: by })
  return closed
}

/** The proposal, if the caller may decide about it. */
async function openProposal(
  tx: Transaction,
  executors: Executors,
  { id, caller }: { id: string; caller: Caller },
): Promise<Proposal> {
  const proposal = await lockPending(tx, { id, org: caller.org })
  if (proposal.proposed_by === caller.sub) throw problem('APPROVER_IS_PROPOSER')
  requirePermission(caller, executors[proposal.kind].permission)
  return proposal
}

async function lockPending(tx: Transaction, key: { id: string; org: string }): Promise<Proposal> {
  const proposal = await lockProposal(tx, key)
  if (!proposal) throw problem('NOT_FOUND', { detail: 'There is no such proposal.' })
  const status = proposal.status === 'pending' && proposal.is_over ? 'expired' : proposal.status
  if (status !== 'pending') throw problem('PROPOSAL_CLOSED', { detail: `It is ${status}.` })
  return proposal
}

/** Ends a proposal whose time is over, unless it was decided. */
export async function expire(tx: Transaction, id: string): Promise<void> {
  const proposal = await expireProposal(tx, id)
  if (!proposal) return
  await tellProposal(tx, proposal, { action: 'proposal.expired', actor: 'payments.proposals' })
}

export interface ExecutorOptions {
  readonly pool: Pool
  readonly keys: IdempotencyStore
  readonly gateway: Gateway
}

/** How each kind of proposal is carried out: as the direct call does it, in the proposer's name. */
export function createExecutors({ pool, keys, gateway }: ExecutorOptions): Executors {
  const atGateway = (type: MoveAsked['type'], called: string): Executor => ({
    permission: 'approve',
    async execute(tx, { id, org_id: org, proposed_by: sub, request }) {
      const { paymentId, amount } = request as { paymentId: string; amount?: number }
      const begun = await beginMove(tx, keys, {
        // Its own key: what was begun goes on by it in any process, and begins once.
        keyed: { scope: 'proposal', key: id, fingerprint: id },
        caller: { sub, org, role: 'clerk', expiresAt: 0 },
        ...{ type, paymentId, amount, approval: 'approved' },
      })
      if (begun.kind === 'refund') return { result: { [called]: begun.refund.id } }
      if (begun.kind !== 'work') throw new Error(`The key of proposal ${id} was used before.`)
      const { claim, work } = begun
      return {
        result: { [called]: work.transactionId },
        finish: () => drive({ pool, gateway, by: sub }, claim, work),
      }
    },
  })
  return {
    refund: atGateway('refund', 'refundId'),
    capture: atGateway('capture', 'transactionId'),
    void: atGateway('void', 'transactionId'),
    decision: {
      permission: 'approve',
      async execute(tx, { org_id: org, proposed_by: by, request }) {
        const { runId, ...asked } = request as unknown as Asked & { readonly runId: string }
        const decided = { by, approval: 'approved', asked } as const
        const record = await decideIn(tx, { org, id: runId }, decided)
        return { result: { runId, recordId: String(record.line_number) } }
      },
    },
    discard: {
      permission: 'approve',
      async execute(tx, { org_id: org, proposed_by: by, request }) {
        const { runId, note } = request as { runId: string; note: string }
        await discardIn(tx, { org, id: runId }, { by, note, approval: 'approved' })
        return { result: { runId } }
      },
    },
    limits: {
      permission: 'administer',
      async execute(tx, { org_id: org, proposed_by: by, request }) {
        const { limits } = request as { limits: readonly Limit[] }
        await changeLimits(tx, { org, by, limits })
        return { result: { limits } }
      },
    },
  }
}

/** Sets an organisation's own limits, with the audit. */
export async function changeLimits(
  tx: Transaction,
  { org, by, limits }: { org: string; by: string; limits: readonly Limit[] },
): Promise<void> {
  await replaceLimits(tx, { org, by, limits })
  await recordAudit(tx, {
    ...{ org, actor: by, action: 'approval_limits.changed' },
    ...{ entity: 'approval_limits', entityId: org, details: { limits } },
  })
}
