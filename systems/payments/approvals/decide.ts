import { transaction, type Log, type Transaction } from '@posthorn/engine'
import type { PeriodicTask } from '@posthorn/operate'
import { requirePermission, type Caller, type Permission } from '@posthorn/http'
import type { Pool } from 'pg'
import { problem } from '../problems.ts'
import type { Proposal, ProposalKind } from './proposal.ts'
import { closeProposal, expireProposals, lockProposal } from './queries.ts'
import { record } from './propose.ts'

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
  { caller, reason }: Decider,
): Promise<Proposal> {
  const { approved, finish } = await transaction(pool, async (tx) => {
    const proposal = await openProposal(tx, executors, { id, caller })
    const executed = await executors[proposal.kind].execute(tx, proposal)
    const close = {
      id,
      status: 'approved',
      by: caller.sub,
      reason,
      result: executed.result,
    } as const
    const closed = await closeProposal(tx, close)
    await record(tx, closed, { action: 'proposal.approved', actor: caller.sub })
    return { approved: closed, finish: () => executed.finish?.() }
  })
  try {
    await finish()
  } catch (error) {
    log.error({ err: error, proposal: id }, 'Approved work failed; the completer goes on with it')
  }
  return approved
}

export async function reject(
  { pool, executors }: { pool: Pool; executors: Executors },
  id: string,
  { caller, reason }: Decider,
): Promise<Proposal> {
  return transaction(pool, async (tx) => {
    await openProposal(tx, executors, { id, caller })
    const close = { id, status: 'rejected', by: caller.sub, reason, result: null } as const
    const closed = await closeProposal(tx, close)
    await record(tx, closed, { action: 'proposal.rejected', actor: caller.sub })
    return closed
  })
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

export async function withdraw(
  pool: Pool,
  id: string,
  { caller, reason }: Decider,
): Promise<Proposal> {
  return transaction(pool, async (tx) => {
    const proposal = await lockPending(tx, { id, org: caller.org })
    if (proposal.proposed_by !== caller.sub) throw problem('NOT_THE_PROPOSER')
    const close = { id, status: 'withdrawn', by: caller.sub, reason, result: null } as const
    const closed = await closeProposal(tx, close)
    await record(tx, closed, { action: 'proposal.withdrawn', actor: caller.sub })
    return closed
  })
}

async function lockPending(tx: Transaction, key: { id: string; org: string }): Promise<Proposal> {
  const proposal = await lockProposal(tx, key)
  if (!proposal) throw problem('NOT_FOUND', { detail: 'There is no such proposal.' })
  const status = proposal.status === 'pending' && proposal.is_over ? 'expired' : proposal.status
  if (status !== 'pending') throw problem('PROPOSAL_CLOSED', { detail: `It is ${status}.` })
  return proposal
}

const EXPIRY_MS = 60_000

/** Ends proposals whose time is over. */
export function expiry(pool: Pool): PeriodicTask {
  return {
    name: 'payments.proposals',
    everyMs: EXPIRY_MS,
    async step() {
      await transaction(pool, async (tx) => {
        for (const proposal of await expireProposals(tx)) {
          await record(tx, proposal, { action: 'proposal.expired', actor: 'payments.proposals' })
        }
      })
    },
  }
}
