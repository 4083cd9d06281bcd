import { transaction, type Transaction } from '@posthorn/engine'
import { ProblemError } from '@posthorn/http'
import type { Pool } from 'pg'
import type { RunKey } from '../owner.ts'
import type { StatementRecord } from '../records/record.ts'
import { beginRun } from '../runs/reconcile.ts'
import type { Run } from '../runs/run.ts'
import { acceptIn } from '../suggestions/suggest.ts'
import { decideOn, explainTaken, tellCounts } from './decide.ts'
import type { Decision } from './decision.ts'
import { beginOne, keepOne, undoOne } from './queries.ts'

/** One of many: about a record, or the suggestion that is accepted. */
export type BulkItem =
  | { readonly line: number; readonly decision: Decision }
  | ({ readonly suggestionId: string } & Pick<Decision, 'by' | 'note' | 'approval'>)

/** What became of it, in the order in which they were asked for. */
export type BulkOutcome =
  | { readonly record: StatementRecord }
  | { readonly code: string; readonly status: number; readonly detail: string }

/**
 * Decides about many records in one transaction, one after the other. What is refused changes nothing
 * and says why; the others are stored together.
 */
export async function decideAll(
  pool: Pool,
  key: RunKey,
  items: readonly BulkItem[],
): Promise<readonly BulkOutcome[]> {
  return transaction(pool, async (tx) => {
    const run = await beginRun(tx, key)
    const outcomes: BulkOutcome[] = []
    for (const item of items) outcomes.push(await decideOne(tx, run, item))
    if (outcomes.some((outcome) => 'record' in outcome)) await tellCounts(tx, run)
    return outcomes
  })
}

async function decideOne(tx: Transaction, run: Run, item: BulkItem): Promise<BulkOutcome> {
  await beginOne(tx)
  try {
    const record =
      'line' in item
        ? await decideOn(tx, { run, line: item.line, accepted: null }, item.decision)
        : await acceptIn(tx, { run, id: item.suggestionId }, item)
    await keepOne(tx)
    return { record }
  } catch (error) {
    const refusal = explainTaken(error)
    if (!(refusal instanceof ProblemError)) throw refusal
    await undoOne(tx)
    return { code: refusal.code, status: refusal.status, detail: refusal.message }
  }
}
