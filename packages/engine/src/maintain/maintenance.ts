import type { Pool } from 'pg'
import { toMs, type Duration } from '../duration.ts'
import { SQLSTATE, sqlState } from '../errors.ts'
import { silentLog, type Log } from '../log.ts'
import { archiveRule, keepPartitions, logRule, transitionRule } from './partitions.ts'
import { prune, type Pruned } from './prune.ts'
import {
  selectAnyHold,
  pruneHandled,
  selectTransitionKeep,
  prunePulses,
  tryLockMaintenance,
} from './maintenance.sql.ts'
import type { CheckedDefinition } from '../outbox/resolved-definition.ts'
import { poolSize } from '../database/connection-gate.ts'
import { transaction, type Queryable, type Transaction } from '../database/transaction.ts'

export interface MaintainOptions {
  readonly log?: Log
  /** How long transitions are kept, by the week. Default what is set for the platform, else `90d`. */
  readonly transitionRetention?: Duration
  /** Stops after the step that is under way. */
  readonly signal?: AbortSignal
}

/** What a run of `maintain` did. */
export interface Maintained {
  /** Partitions made. */
  readonly created: readonly string[]
  /** Partitions dropped. */
  readonly dropped: readonly string[]
  /** What was pruned, by the name of the outbox. */
  readonly outboxes: Readonly<Record<string, Pruned>>
  /** Steps that did not succeed and are left to the next run; the log says why. */
  readonly failed: readonly string[]
}

/**
 * All maintenance: the coming weeks' partitions, those that are past their time, finished rows, old
 * heartbeats. Run it when the process starts and then once an hour, as the tables' owner, with
 * a pool of two connections or more: with one there is none to hold the lock. One process at a time does it: undefined if another is at it.
 * Never waits for a lock longer than a second; nothing else depends on its being run. While there
 * is a legal hold, nothing goes for good that may belong to an organisation.
 */
export async function maintain(
  pool: Pool,
  outboxes: readonly CheckedDefinition[],
  options: MaintainOptions = {},
): Promise<Maintained | undefined> {
  const work = () => maintainAll(pool, outboxes, options)
  if (poolSize(pool) === 1) return (await transaction(pool, isOurs)) ? work() : undefined
  return transaction(pool, async (tx) => ((await isOurs(tx)) ? work() : undefined))
}

async function maintainAll(
  pool: Pool,
  outboxes: readonly CheckedDefinition[],
  { log = silentLog, transitionRetention, signal }: MaintainOptions,
): Promise<Maintained> {
  const db = pool as Queryable
  const givenMs = transitionRetention === undefined ? undefined : toMs(transitionRetention)
  const keepMs = givenMs ?? (await transitionKeepMs(db))
  const isHeld = (await db.query<{ held: boolean }>(selectAnyHold)).rows[0]?.held === true
  const created: string[] = []
  const dropped: string[] = []
  const pruned: Record<string, Pruned> = {}
  const failed: string[] = []
  const step = async (name: string, work: () => Promise<unknown>) => {
    if (signal?.aborted) return
    try {
      await work()
    } catch (error) {
      failed.push(name)
      report(log, name, error)
    }
  }
  const logs = outboxes.map(logRule).filter((rule) => rule !== undefined)
  for (const rule of [transitionRule(keepMs), archiveRule(outboxes), ...logs]) {
    const kept = isHeld ? { ...rule, keepMs: undefined } : rule
    await step(rule.table, () => keepPartitions(pool, kept, { created, dropped }))
  }
  await step('posthorn.pulse', () => pool.query(prunePulses))
  await step('posthorn.handled', () => pool.query(pruneHandled))
  for (const outbox of outboxes) {
    await step(outbox.name, async () => {
      const options = { log, archiveOnly: isHeld, ...(signal && { signal }) }
      pruned[outbox.name] = await prune(pool, outbox, options)
    })
  }
  const result = { created, dropped, outboxes: pruned, failed }
  log.debug(result, 'maintenance done')
  return result
}

async function transitionKeepMs(db: Queryable): Promise<number> {
  const { rows } = await db.query<{ keep_ms: number }>(selectTransitionKeep)
  return rows[0]?.keep_ms ?? toMs('90d')
}

async function isOurs(tx: Transaction): Promise<boolean> {
  let ours = false
  for (const statement of tryLockMaintenance) {
    const { rows } = await tx.query<{ ours: boolean }>(statement)
    ours = rows[0]?.ours === true
  }
  return ours
}

function report(log: Log, step: string, error: unknown): void {
  const busy: (string | undefined)[] = [SQLSTATE.lockNotAvailable, SQLSTATE.queryCanceled]
  if (busy.includes(sqlState(error))) {
    log.warn({ step, err: error }, 'maintenance skipped: lock not available')
  } else log.error({ step, err: error }, 'maintenance step failed; others continue')
}
