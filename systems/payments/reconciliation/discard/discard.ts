import { transaction, type Transaction } from '@posthorn/engine'
import { announce } from '@posthorn/operate'
import type { Pool } from 'pg'
import { requireApproval, type Approval } from '../../approvals/proposal.ts'
import { recordAudit } from '../../queries.ts'
import type { RunKey } from '../owner.ts'
import { avoidLoops } from '../runs/queries.ts'
import { RUN_TOPIC, beginRun } from '../runs/reconcile.ts'
import type { Run } from '../runs/run.ts'
import {
  explainDiscard,
  markDiscarded,
  moveTallies,
  releaseMatches,
  selectMatchedSums,
} from './queries.ts'

/** Takes a file back, with all that was matched and decided about it: the same file may come again. */
export async function discardRun(pool: Pool, key: RunKey, given: DiscardGiven): Promise<Run> {
  return transaction(pool, (tx) => discardIn(tx, key, given))
}

export interface DiscardGiven {
  readonly by: string
  readonly note: string
  readonly approval: Approval
}

/** The same inside a transaction. */
export async function discardIn(
  tx: Transaction,
  key: RunKey,
  { by, note, approval }: DiscardGiven,
): Promise<Run> {
  const run = await beginRun(tx, key)
  for (const { currency, amount } of await selectMatchedSums(tx, run)) {
    await requireApproval(tx, approval, { org: run.org_id, currency, amount })
  }
  await avoidLoops(tx)
  const discard = { runId: run.id, runNo: run.run_no + 1, by, note }
  await releaseMatches(tx, discard)
  await explainDiscard(tx, discard)
  await moveTallies(tx, run)
  const discarded = await markDiscarded(tx, discard)
  await recordAudit(tx, {
    ...{ org: run.org_id, actor: by, action: 'reconciliation.discarded' },
    ...{ entity: 'reconciliation', entityId: run.id },
    details: { reason: note, filename: run.filename, matched: run.matched, total: run.total },
  })
  const data = { status: 'discarded', matched: 0, unmatched: run.total, total: run.total }
  await announce(tx, { topic: RUN_TOPIC, id: run.id, tenant: run.org_id, data })
  return discarded
}
