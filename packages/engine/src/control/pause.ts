import type { Outbox } from '../outbox/define.ts'
import { signed, type Operator } from './replay.ts'
import { deletePause, insertPause, selectHeldKeys, selectPauses } from './pause.sql.ts'
import type { Queryable, Transaction } from '../database/transaction.ts'

export interface Paused {
  readonly outbox: string
  readonly pausedAt: Date
  readonly pausedBy: string
  readonly reason: string | undefined
}

/** Stops all claims of an outbox, in every process, from the next claim on. What is under way ends. */
export async function pause(
  tx: Transaction,
  outbox: Pick<Outbox, 'name'>,
  operator: Operator,
): Promise<void> {
  await tx.query(insertPause({ outbox: outbox.name, ...signed(operator) }))
}

/** Lets claims go on; relays of this process are woken at the commit. */
export async function resume(
  tx: Transaction,
  outbox: Pick<Outbox, 'name' | 'bell'>,
  operator: Operator,
): Promise<void> {
  await tx.query(deletePause({ outbox: outbox.name, ...signed(operator) }))
  tx.ringLater(outbox.bell)
}

export async function listPaused(db: Queryable): Promise<Paused[]> {
  const { rows } = await db.query<{
    outbox: string
    paused_at: Date
    paused_by: string
    reason: string | null
  }>(selectPauses)
  return rows.map((row) => ({
    outbox: row.outbox,
    pausedAt: row.paused_at,
    pausedBy: row.paused_by,
    reason: row.reason ?? undefined,
  }))
}

/** A key whose messages wait. */
export interface HeldKey {
  readonly key: string
  /** When they go on; undefined where an operator must act: the key is blocked. */
  readonly dueAt: Date | undefined
  /** The id of the message that is in the way, or the code that says why. */
  readonly heldBy: string
  readonly heldAt: Date
}

/** Keys of an ordered outbox that wait, blocked ones first, then by the time they go on. */
export async function listHeldKeys(
  db: Queryable,
  outbox: Pick<Outbox, 'name'>,
  { limit = 50 }: { limit?: number } = {},
): Promise<HeldKey[]> {
  const { rows } = await db.query<{
    key: string
    due_at: Date | null
    held_by: string
    held_at: Date
  }>(selectHeldKeys(outbox.name, Math.min(Math.max(Math.trunc(limit), 1), 500)))
  return rows.map((row) => ({
    key: row.key,
    dueAt: row.due_at ?? undefined,
    heldBy: row.held_by,
    heldAt: row.held_at,
  }))
}
