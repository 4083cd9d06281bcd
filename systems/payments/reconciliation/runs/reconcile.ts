import { SQLSTATE, sqlState, transaction, type Transaction } from '@posthorn/engine'
import { announce } from '@posthorn/operate'
import { hasSpareConnection } from '@posthorn/http'
import type { Pool } from 'pg'
import { enqueueEvent } from '../../webhooks/index.ts'
import { requireFound, type RunKey, type Owner } from '../request.ts'
import { problem } from '../../problems.ts'
import type { Tally } from '../reason.ts'
import {
  insertReversals,
  explainTakenReversals,
  hasMoneyOut,
  pairByGatewayRef,
  pairByReversal,
  pairByReversedPayment,
  PAYMENT_NAMES,
  applyMatches,
  completeRun,
  explainRest,
  findRun,
  insertDetails,
  insertTallies,
  lockOwner,
  pairRecords,
  prepareRun,
  replaceDetails,
  settleSucceeded,
  tallyOutcome,
} from './queries.ts'
import { resultOf, type Run, type RunResult } from './run.ts'

/** Gives records in which money went out the refunds and disputes that they are about. */
async function pairReversals(tx: Transaction, owner: Owner): Promise<void> {
  if (!(await hasMoneyOut(tx))) return
  await pairByReversal(tx, owner)
  for (const name of PAYMENT_NAMES) await pairByReversedPayment(tx, owner, name)
  await explainTakenReversals(tx, owner)
}

/** The topic of its news. */
export const RUN_TOPIC = 'reconciliation.run'

/** Longest wait for another run or decision of the same organisation: it keeps a connection meanwhile. */
const WAIT_MS = 5_000

export interface ReconcileOptions {
  readonly pool: Pool
  readonly memoryMb: number
}

/**
 * Matches the open records of a file with the payments of its organisation, all in one transaction:
 * after a crash the file is as it was. What is matched or decided stays.
 */
export async function reconcile(
  { pool, memoryMb }: ReconcileOptions,
  key: RunKey,
  by: string,
): Promise<RunResult> {
  // Outside the transaction: it would not be sent before the commit.
  const tell = (step: string) => tellStep(pool, key, step)
  return transaction(pool, async (tx) => {
    const run = await beginRun(tx, key)
    await tell('pairing')
    const tallies = await decide(tx, key, { run, memoryMb })
    await tell('storing')
    return store(tx, { run, by }, tallies)
  })
}

/** What a run would answer; changes nothing. */
export async function rehearse(
  { pool, memoryMb }: ReconcileOptions,
  key: RunKey,
): Promise<RunResult> {
  return transaction(pool, async (tx) => {
    const run = await beginRun(tx, key)
    return resultOf(await decide(tx, key, { run, memoryMb }), run)
  })
}

/** The organisation's run, locked against other decisions about the same payments until the transaction ends. */
export async function beginRun(tx: Transaction, key: RunKey): Promise<Run> {
  requireFound(await findRun(tx, key), 'reconciliation')
  try {
    await lockOwner(tx, key, WAIT_MS)
  } catch (cause) {
    if (sqlState(cause) !== SQLSTATE.lockNotAvailable) throw cause
    throw problem('RECONCILIATION_BUSY', { retryAfterSeconds: 5, cause })
  }
  // Once more: the former holder of the lock may have run it.
  const run = requireFound(await findRun(tx, key), 'reconciliation')
  if (run.status === 'discarded') {
    throw problem('RECONCILIATION_DISCARDED', { detail: run.discard_reason ?? '' })
  }
  return run
}

async function decide(
  tx: Transaction,
  key: RunKey,
  { run, memoryMb }: { run: Run; memoryMb: number },
): Promise<Tally[]> {
  await prepareRun(tx, memoryMb)
  await settleSucceeded(tx, run)
  await pairRecords(tx, key)
  await pairByGatewayRef(tx, key)
  await pairReversals(tx, key)
  await explainRest(tx, key)
  return tallyOutcome(tx, run)
}

async function store(
  tx: Transaction,
  { run, by }: { run: Run; by: string },
  tallies: readonly Tally[],
): Promise<RunResult> {
  const { id, org_id: org, filename } = run
  const runNo = run.run_no + 1
  await applyMatches(tx, id)
  await insertReversals(tx, { id, org })
  await (runNo === 1 ? insertDetails(tx, { id, runNo }) : replaceDetails(tx, { id, runNo }))
  await insertTallies(tx, { id, runNo }, tallies)
  const result = resultOf(tallies, run)
  await completeRun(tx, { id, runNo, by }, result)
  await enqueueEvent(tx, {
    org,
    id: `${id}.${runNo}`,
    type: 'reconciliation.completed',
    key: id,
    data: { reconciliationId: id, filename, runNo, ...result },
  })
  const data = { status: 'completed', runNo, ...result }
  await announce(tx, { topic: RUN_TOPIC, id, tenant: org, data })
  return result
}

/** With a connection to spare only: waiting for one while holding one, runs would wait for each other. */
async function tellStep(pool: Pool, { id, org }: RunKey, step: string): Promise<void> {
  if (!hasSpareConnection(pool)) return
  await announce(pool, { topic: RUN_TOPIC, id, tenant: org, data: { status: 'running', step } })
}
