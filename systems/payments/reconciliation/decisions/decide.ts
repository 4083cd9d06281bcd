import { SQLSTATE, sqlState, transaction, type Transaction } from '@posthorn/engine'
import { announce } from '@posthorn/engine/operate'
import type { Pool } from 'pg'
import { createAuditLog } from '../../charges/queries.ts'
import { requireFound, type Owner, type RunKey } from '../owner.ts'
import { problem } from '../problems.ts'
import { findRecord } from '../records/queries.ts'
import type { StatementRecord } from '../records/record.ts'
import { findRun } from '../runs/queries.ts'
import { RUN_TOPIC, beginRun } from '../runs/reconcile.ts'
import { runResource, type Run } from '../runs/run.ts'
import { DECISIONS, type Decision } from './decision.ts'
import {
  closeSuggestions,
  deleteLinks,
  insertLinks,
  moveTally,
  replaceDetail,
  selectPaymentUse,
  updateRecord,
  type Decided,
} from './queries.ts'

/** Decides about one record for good: no run undoes it. Returns the record as it is then. */
export async function decide(
  pool: Pool,
  { key, line }: { readonly key: RunKey; readonly line: number },
  decision: Decision,
): Promise<StatementRecord> {
  try {
    return await transaction(pool, async (tx) => {
      const run = await beginRun(tx, key)
      return decideOn(tx, { run, line, accepted: null }, decision)
    })
  } catch (error) {
    throw explainTaken(error)
  }
}

/** The record of a decision, and the suggestion that it accepts. */
export interface DecisionPlace {
  readonly run: Run
  readonly line: number
  readonly accepted: string | null
}

/** The same inside a transaction that has begun the run. */
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
  const { paymentIds = [], adjustment } = decision
  if (decision.kind === 'match') await checkPayments(tx, ownerOfRun(run), { record, decision })
  const decided: Decided = { runId: run.id, line, rule, paymentIds, adjustment }
  await deleteLinks(tx, decided)
  await updateRecord(tx, decided)
  if (paymentIds.length > 1) await insertLinks(tx, decided)
  await closeSuggestions(tx, { runId: run.id, line, accepted })
  await recordDecision(tx, { run, record, decision })
  return requireFound(await findRecord(tx, { runId: run.id, line }), 'record')
}

async function recordDecision(
  tx: Transaction,
  { run, record, decision }: { run: Run; record: StatementRecord; decision: Decision },
): Promise<void> {
  const { id: runId, run_no: runNo, org_id: orgId } = run
  const { line_number: line, currency, amount, reason: from } = record
  const { by, note, paymentIds = [] } = decision
  const { reason, action, status } = DECISIONS[decision.kind]
  const matched = Number(status === 'matched') - Number(record.status === 'matched')
  // A run gives every record its reason: without one there was none.
  if (from === null) throw problem('RECONCILIATION_NOT_RUN')
  await moveTally(tx, { runId, line, runNo, currency, amount, from, to: reason, matched })
  const paymentId = paymentIds[0] ?? record.matched_payment_id
  await replaceDetail(tx, { runId, line, runNo: runNo + 1, reason, paymentId, note, actor: by })
  const before = [record.matched_payment_id, ...record.linked].filter((id) => id !== null)
  await createAuditLog(tx, {
    orgId,
    actor: by,
    action,
    entity: 'reconciliation_record',
    entityId: `${runId}/${line}`,
    details: {
      reason: note,
      from,
      to: reason,
      paymentIds: status === 'matched' ? paymentIds : before,
      ...(decision.adjustment && { adjustment: decision.adjustment }),
    },
  })
  await tellCounts(tx, run)
}

async function tellCounts(tx: Transaction, { id, org_id: org, user_id: user }: Run): Promise<void> {
  const run = requireFound(await findRun(tx, { id, org, user }), 'reconciliation')
  const { status, runNo, matched, unmatched, total, matchRate } = runResource(run)
  const data = { status, runNo, matched, unmatched, total, matchRate }
  await announce(tx, { topic: RUN_TOPIC, id, tenant: org, data })
}

async function checkPayments(
  tx: Transaction,
  owner: Owner,
  { record, decision }: { record: StatementRecord; decision: Decision },
): Promise<void> {
  const { paymentIds = [], adjustment } = decision
  const payments = await selectPaymentUse(tx, owner, paymentIds)
  const unknown = paymentIds.find((id) => !payments.some((payment) => payment.id === id))
  if (unknown !== undefined) {
    throw problem('NOT_FOUND', { detail: `There is no payment ${unknown} of yours.` })
  }
  const taken = payments.find(({ run_id: runId }) => runId !== null)
  if (taken) {
    const { id: paymentId, run_id: reconciliationId, line_number: line } = taken
    const extensions = { paymentId, reconciliationId, recordId: String(line) }
    throw problem('PAYMENT_TAKEN', { extensions })
  }
  if (payments.some(({ currency }) => currency !== record.currency)) {
    throw problem('CURRENCIES_DIFFER')
  }
  const sum = payments.reduce((all, { amount }) => all + BigInt(amount), 0n)
  const difference = BigInt(record.amount) - sum - BigInt(adjustment?.amount ?? 0)
  if (difference !== 0n) {
    const detail = `The record is ${difference} more, in minor units: name it as an adjustment.`
    throw problem('AMOUNTS_DIFFER', { detail, extensions: { difference: Number(difference) } })
  }
}

/** The keys of the database have the last word on who was first. */
export function explainTaken(error: unknown): unknown {
  if (sqlState(error) !== SQLSTATE.uniqueViolation) return error
  return problem('PAYMENT_TAKEN', { cause: error })
}

function ownerOfRun({ org_id: org, user_id: user }: Run): Owner {
  return { org, user }
}
