import type { Pool } from 'pg'
import { silentLog, type Log } from '../log.ts'
import { run, withoutPreparing } from '../database/pool-handle.ts'
import { insertSample, limitCounting, updateSample } from './maintenance.sql.ts'
import { selectKinds, selectStirring, selectWaiting, type LiveCount } from './stats.sql.ts'
import { type CheckedDefinition, inSql } from '../outbox/resolved-definition.ts'
import { transaction } from '../database/transaction.ts'
import { watchBacklog, watchOutbox } from './watchdog.ts'

/**
 * Counts what waits in each outbox and keeps it, once a minute, whichever process comes first. Where nothing
 * has waited since the last sample there is no other. A backlog that cannot be counted within two seconds
 * leaves an empty sample.
 */
export async function takeSamples(
  pool: Pool,
  outboxes: readonly CheckedDefinition[],
  { log = silentLog, signal }: { log?: Log; signal?: AbortSignal } = {},
): Promise<void> {
  for (const outbox of await findStirring(pool, outboxes)) {
    if (signal?.aborted) return
    const { rows } = await pool.query<{ at: Date }>(insertSample(outbox.name))
    const at = rows[0]?.at
    if (!at) continue
    const noStall = (error: unknown) =>
      log.warn({ outbox: outbox.name, err: error }, 'stall check failed; next check in a minute')
    await watchOutbox(pool, outbox, log).catch(noStall)
    await takeSample(pool, outbox, at).catch((error: unknown) =>
      log.warn({ outbox: outbox.name, err: error }, 'backlog sample failed; the history has a gap'),
    )
    await watchBacklog(pool, outbox, log).catch(noStall)
  }
}

/** All of them where one of the tables does not answer. */
async function findStirring<Outbox extends CheckedDefinition>(
  pool: Pool,
  outboxes: readonly Outbox[],
): Promise<readonly Outbox[]> {
  try {
    const rows = await transaction(pool, async (tx) => {
      for (const statement of limitCounting) await tx.query(statement)
      const statement = selectStirring(outboxes.map(inSql))
      return run<{ outbox: string }>(withoutPreparing(tx), statement, {})
    })
    const names = new Set(rows.map((row) => row.outbox))
    return outboxes.filter(({ name }) => names.has(name))
  } catch {
    return outboxes
  }
}

async function takeSample(pool: Pool, outbox: CheckedDefinition, at: Date): Promise<void> {
  await transaction(pool, async (tx) => {
    for (const statement of limitCounting) await tx.query(statement)
    const [counted] = await run<{ waiting: number; due: number; oldest_due_at: Date | null }>(
      withoutPreparing(tx),
      selectWaiting(inSql(outbox)),
      {},
    )
    if (!counted) return
    const { waiting, due, oldest_due_at: oldestDueAt } = counted
    const kinds = await run<LiveCount>(withoutPreparing(tx), selectKinds(inSql(outbox)), {})
    const sample = { waiting, due, oldestDueAt, ...kindsOf(kinds, waiting - due) }
    await tx.query(updateSample({ outbox: outbox.name, at, ...sample }))
  })
}

/** Of what is not due, the part that is tried again; those that were looked at stand for all. */
function kindsOf(kinds: readonly LiveCount[], notDue: number) {
  const waiting = kinds.filter(({ waits }) => waits)
  const sum = (pick: (kind: LiveCount) => number) =>
    waiting.reduce((total, kind) => total + pick(kind), 0)
  const seen = sum(({ n, due }) => n - due)
  const share = seen === 0 ? 0 : sum(({ retrying }) => retrying) / seen
  return {
    retrying: Math.round(share * notDue),
    oldestUndeliveredSeconds: Math.max(0, ...kinds.map(({ oldest }) => oldest ?? 0)),
  }
}
