import { transaction } from '@posthorn/engine'
import { announce } from '@posthorn/engine/operate'
import type { Pool } from 'pg'
import { createAuditLog } from '../../charges/queries.ts'
import type { RunKey } from '../owner.ts'
import { avoidLoops } from '../runs/queries.ts'
import { RUN_TOPIC, beginRun } from '../runs/reconcile.ts'
import type { Run } from '../runs/run.ts'
import { explainDiscard, markDiscarded, moveTallies, releaseMatches } from './queries.ts'

/** Takes a file back, with all that was matched and decided about it: the same file may come again. */
export async function discardRun(
  pool: Pool,
  key: RunKey,
  { by, note }: { readonly by: string; readonly note: string },
): Promise<Run> {
  return transaction(pool, async (tx) => {
    const run = await beginRun(tx, key)
    await avoidLoops(tx)
    const discard = { runId: run.id, runNo: run.run_no + 1, by, note }
    await releaseMatches(tx, discard)
    await explainDiscard(tx, discard)
    await moveTallies(tx, run)
    const discarded = await markDiscarded(tx, discard)
    await createAuditLog(tx, {
      orgId: run.org_id,
      actor: by,
      action: 'reconciliation.discarded',
      entity: 'reconciliation',
      entityId: run.id,
      details: { reason: note, filename: run.filename, matched: run.matched, total: run.total },
    })
    const data = { status: 'discarded', matched: 0, unmatched: run.total, total: run.total }
    await announce(tx, { topic: RUN_TOPIC, id: run.id, tenant: run.org_id, data })
    return discarded
  })
}
