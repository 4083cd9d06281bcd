import { SQLSTATE, sqlState, type Transaction } from '@posthorn/engine'
import { announce } from '@posthorn/operate'
import { requireApproval } from '../../approvals/proposal.ts'
import { recordAudit } from '../../queries.ts'
import { requireFound } from '../request.ts'
import { problem } from '../../problems.ts'
import { findRecord } from '../records/queries.ts'
import type { StatementRecord } from '../records/record.ts'
import { findRun } from '../runs/queries.ts'
import { RUN_TOPIC } from '../runs/reconcile.ts'
import { runResource, type Run } from '../runs/run.ts'
import { type Adjustment, DECISIONS, type Decision } from './decision.ts'
import { checkMatch } from './check-match.ts'
import {
  closeSuggestions,
  deleteLinks,
  insertLinks,
  moveTally,
  replaceDetail,
  updateRecord,
  type Decided,
} from './queries.ts'

/** The record of a decision, and the suggestion that it accepts. */
export interface DecisionPlace {
  readonly run: Run
  readonly line: number
  readonly accepted?: string
}

/** Decides about one record, in a transaction that has begun the run; the caller announces what came of it. */
export async function decideOn(
  tx: Transaction,
  { run, line, accepted }: DecisionPlace,
  decision: Decision,
): Promise<StatementRecord> {
  if (run.run_no === 0) throw problem('RECONCILIATION_NOT_RUN')
  const record = requireFound(await findRecord(tx, { runId: run.id, line }), 'record')
  const rule = DECISIONS[decision.kind]
  if (decision.version !== undefined && decision.version !== record.version) {
    throw problem('DECISION_STALE', { extensions: { version: record.version } })
  }
  if (!rule.isAllowed(record)) {
    const { status, decided_by: by } = record
    const detail = `It is ${status}, ${by === null ? 'not decided yet' : `decided by ${by}`}.`
    throw problem('DECISION_NOT_POSSIBLE', { detail })
  }
  const { paymentIds = [], refundIds = [], disputeIds = [], adjustment } = decision
  const matched =
    decision.kind === 'match'
      ? await checkMatch(tx, { org: run.org_id }, { record, decision })
      : null
  // Last: what cannot be done is refused, not proposed.
  const weighed = { org: run.org_id, currency: record.currency, amount: weigh(record, adjustment) }
  await requireApproval(tx, decision.approval, weighed)
  const key = { runId: run.id, line }
  const decided: Decided = {
    ...{ ...key, rule, paymentIds, refundIds, disputeIds, matched, adjustment },
  }
  await deleteLinks(tx, decided)
  await updateRecord(tx, decided)
  if (matched !== null) await insertLinks(tx, decided)
  await closeSuggestions(tx, { ...key, accepted })
  await recordDecision(tx, { run, record, decided, decision })
  return requireFound(await findRecord(tx, key), 'record')
}

/** A line weighs what it says, or what it is matched with where an adjustment makes that more. */
function weigh(record: StatementRecord, adjustment: Adjustment | undefined): number {
  const amount = Number(record.amount)
  const matched = amount - Number(adjustment?.amount ?? record.adjustment ?? 0)
  return Math.max(Math.abs(amount), Math.abs(matched))
}

interface Recorded {
  readonly run: Run
  /** As it was. */
  readonly record: StatementRecord
  readonly decided: Decided
  readonly decision: Decision
}

async function recordDecision(
  tx: Transaction,
  { run, record, decided, decision }: Recorded,
): Promise<void> {
  const { id: runId, run_no: runNo, org_id: org } = run
  const { line_number: line, currency, amount, reason: from } = record
  const { by, note, paymentIds = [], refundIds = [], disputeIds = [] } = decision
  const { action, status, ...rule } = DECISIONS[decision.kind]
  const reason = decided.matched?.hasSucceeded === false ? 'payment_not_succeeded' : rule.reason
  const matched = Number(status === 'matched') - Number(record.status === 'matched')
  // A run gives every record its reason: without one there was none.
  if (from === null) throw problem('RECONCILIATION_NOT_RUN')
  await moveTally(tx, { runId, line, runNo, currency, amount, to: reason, matched })
  const paymentId = decided.matched?.paymentId ?? record.matched_payment_id
  await replaceDetail(tx, { runId, line, runNo: runNo + 1, reason, paymentId, note, actor: by })
  const before = [record.matched_payment_id, ...record.linked].filter((id) => id !== null)
  const isMatch = status === 'matched'
  const refunds = isMatch ? refundIds : record.refunds
  const disputes = isMatch ? disputeIds : record.disputes
  await recordAudit(tx, {
    ...{ org, actor: by, action, entity: 'reconciliation_record', entityId: `${runId}/${line}` },
    details: {
      ...{ reason: note, from, to: reason, paymentIds: isMatch ? paymentIds : before },
      ...(refunds.length > 0 && { refundIds: refunds }),
      ...(disputes.length > 0 && { disputeIds: disputes }),
      ...(decision.isPart && { part: true }),
      ...(decision.adjustment && { adjustment: decision.adjustment }),
    },
  })
}

/** Tells those who follow a run how many of its records are matched now. */
export async function tellCounts(tx: Transaction, { id, org_id: org }: Run): Promise<void> {
  const run = requireFound(await findRun(tx, { id, org }), 'reconciliation')
  const { status, runNo, matched, unmatched, total, matchRate } = runResource(run)
  const data = { status, runNo, matched, unmatched, total, matchRate }
  await announce(tx, { topic: RUN_TOPIC, id, tenant: org, data })
}

/** The keys of the database have the last word on who was first. */
export function explainTaken(error: unknown): unknown {
  if (sqlState(error) === SQLSTATE.uniqueViolation)
    return problem('PAYMENT_TAKEN', { cause: error })
  const { constraint } = error as { constraint?: unknown }
  if (constraint !== 'reconciliation_parts_within_payment') return error
  return problem('PART_TOO_LARGE', { cause: error })
}
