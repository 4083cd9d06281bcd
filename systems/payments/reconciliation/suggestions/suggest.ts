import { transaction, type Transaction } from '@posthorn/engine'
import type { Pool } from 'pg'
import { recordAudit } from '../../queries.ts'
import { decideOn } from '../decisions/decide.ts'
import type { Decision } from '../decisions/decision.ts'
import type { AdjustmentKind, StatementRecord } from '../records/record.ts'
import { requireFound, type RunKey } from '../request.ts'
import { problem } from '../../problems.ts'
import { avoidLoops } from '../runs/queries.ts'
import { beginRun } from '../runs/reconcile.ts'
import type { Run } from '../runs/run.ts'
import {
  deleteOpen,
  dismissSuggestion,
  findSuggestion,
  flagAmbiguous,
  suggestByAmount,
  suggestByDate,
  suggestByPayout,
  suggestParts,
} from './queries.ts'
import { adjustmentOf, type Pass, type Suggestion } from './suggestion.ts'

/** How many suggestions each pass made. */
export type Suggested = { readonly kind: Pass['kind']; readonly suggestions: number }[]

/**
 * Looks for what might belong together, pass by pass, instead of what was suggested before and not
 * answered. Matches nothing.
 */
export async function suggest(
  pool: Pool,
  key: RunKey,
  passes: readonly Pass[],
): Promise<Suggested> {
  return transaction(pool, async (tx) => {
    const run = await beginRun(tx, key)
    if (run.run_no === 0) throw problem('RECONCILIATION_NOT_RUN')
    await avoidLoops(tx)
    await deleteOpen(tx, key.id)
    const suggested = []
    for (const pass of passes) {
      suggested.push({ kind: pass.kind, suggestions: await runPass(tx, key, pass) })
    }
    await flagAmbiguous(tx, key.id)
    return suggested
  })
}

async function runPass(tx: Transaction, key: RunKey, pass: Pass): Promise<number> {
  if (pass.kind === 'amount_tolerance') return suggestByAmount(tx, key, pass)
  if (pass.kind === 'one_to_many') return suggestParts(tx, key, pass.fee ?? {})
  if (pass.kind === 'date_window') return suggestByDate(tx, key, pass)
  return suggestByPayout(tx, key, { field: pass.by.metadata, fee: pass.fee ?? {} })
}

/** Who answers a suggestion, and with which words. */
export interface Answer extends Pick<Decision, 'by' | 'note' | 'approval'> {
  readonly version?: number | undefined
  /** What a difference is called; default a fee where it is many-to-one, else rounding. */
  readonly adjustmentKind?: AdjustmentKind | undefined
}

/** Matches the record as suggested, a decision like any other, in a transaction that has begun the run. */
export async function acceptIn(
  tx: Transaction,
  { run, id }: { readonly run: Run; readonly id: string },
  { by, note, approval, version, adjustmentKind }: Answer,
): Promise<StatementRecord> {
  const suggestion = await openSuggestion(tx, { runId: run.id, id })
  const { line_number: line, payment_ids: paymentIds, refund_ids: refundIds } = suggestion
  const usual = adjustmentOf(suggestion)
  const adjustment = usual ? { ...usual, kind: adjustmentKind ?? usual.kind } : undefined
  const about = { kind: 'match', by, note, approval, paymentIds, refundIds } as const
  const lines = suggestion.line_numbers
  if (lines === null) {
    return decideOn(tx, { run, line, accepted: id }, { ...about, version, adjustment })
  }
  // Closed by its first record; the fee is the last one's, so that no part is more than is left.
  const last = lines.at(-1)
  let first: StatementRecord | undefined
  for (const each of lines) {
    const decided = await decideOn(
      tx,
      { run, line: each, accepted: id },
      {
        ...about,
        isPart: true,
        ...(each === line && { version }),
        ...(each === last && { adjustment }),
      },
    )
    first ??= decided
  }
  return requireFound(first, 'record')
}

/** Says no: it is not suggested again. */
export async function refuseSuggestion(
  pool: Pool,
  { key, id }: { readonly key: RunKey; readonly id: string },
  { by, note }: Pick<Answer, 'by' | 'note'>,
): Promise<Suggestion> {
  return transaction(pool, async (tx) => {
    const run = await beginRun(tx, key)
    const suggestion = await openSuggestion(tx, { runId: run.id, id })
    const { line_number: line, kind, payment_ids: paymentIds } = suggestion
    await recordAudit(tx, {
      ...{ org: run.org_id, actor: by, action: 'reconciliation.suggestion_dismissed' },
      ...{ entity: 'reconciliation_record', entityId: `${run.id}/${line}` },
      details: { reason: note, suggestionId: id, kind, paymentIds },
    })
    return dismissSuggestion(tx, id)
  })
}

async function openSuggestion(
  tx: Transaction,
  key: { readonly runId: string; readonly id: string },
): Promise<Suggestion> {
  const suggestion = requireFound(await findSuggestion(tx, key), 'suggestion')
  if (suggestion.status !== 'open') {
    throw problem('SUGGESTION_CLOSED', { detail: `It was ${suggestion.status}.` })
  }
  return suggestion
}
