import { transaction, type Transaction } from '@posthorn/engine'
import { callerOf, type App } from '@posthorn/http'
import { announce } from '@posthorn/operate'
import type { Pool } from 'pg'
import { Type } from 'typebox'
import {
  doOrPropose,
  ProposalResource,
  proposalResource,
  requireApproval,
  type Approval,
  type FourEyes,
  type Proposed,
} from '../../approvals/proposal.ts'
import { recordAudit } from '../../queries.ts'
import { keyOf, Note, PATH, runParams, tags, type RunKey } from '../request.ts'
import { avoidLoops } from '../runs/queries.ts'
import { beginRun, RUN_TOPIC } from '../runs/reconcile.ts'
import { RunResource, runResource, type Run } from '../runs/run.ts'
import {
  explainDiscard,
  markDiscarded,
  moveTallies,
  releaseMatches,
  selectTouchedSums,
} from './queries.ts'

interface DiscardGiven {
  readonly by: string
  readonly note: string
  readonly approval: Approval
}

/** Takes a file back, with all that was matched and decided about it: the same file may come again. */
export async function discardIn(
  tx: Transaction,
  key: RunKey,
  { by, note, approval }: DiscardGiven,
): Promise<Run> {
  const run = await beginRun(tx, key)
  for (const { currency, amount } of await selectTouchedSums(tx, run)) {
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

const discardFile = {
  tags,
  summary: 'Discard a file: its matches are undone, and it can be uploaded again',
  description:
    'For a file that was uploaded by mistake or with the wrong profile. Its records stay readable; their payments and refunds are free again. Further runs, decisions or a second discard return 409 `RECONCILIATION_DISCARDED`.',
  params: runParams,
  body: Type.Object({ reason: Note }),
  response: { 200: RunResource, 202: ProposalResource },
}

export function discardRoutes(
  app: App,
  { pool, fourEyes }: { readonly pool: Pool; readonly fourEyes: FourEyes },
): void {
  app.post(`${PATH}/:id/discard`, { schema: discardFile }, async (request, reply) => {
    const { org, sub: by } = callerOf(request)
    const key = keyOf(request)
    const { reason: note } = request.body
    const proposed: Proposed = {
      ...{ org, by, kind: 'discard', subject: key.id, request: { runId: key.id, note } },
      ...{ reason: note, requestKey: null },
    }
    const outcome = await doOrPropose(pool, proposed, () =>
      transaction(pool, (tx) => discardIn(tx, key, { by, note, approval: fourEyes })),
    )
    if ('proposal' in outcome) return reply.code(202).send(proposalResource(outcome.proposal))
    return reply.code(200).send(runResource(outcome.done))
  })
}
