import type { Outbox } from '../../outbox/define.ts'
import type { Transaction } from '../../database/transaction.ts'
import { settleIn, settleRoles, type SettleArgs } from './settle.ts'
import type { Settlement } from './settlement.ts'
import { inSavepoint } from '../../database/savepoint.ts'

/** A message that cannot be settled, and what Postgres or the definition's audit said. */
export interface Unsettled {
  readonly settlement: Settlement
  readonly error: unknown
}

/** Until a message that could not be settled is claimed again, alone. */
export const UNSETTLED_DELAY_MS = 1_000

/**
 * SQLSTATEs that say nothing about a message: a full disk, no connections, a deadlock, a lock that was
 * not had in time, a server that shuts down or has a fault.
 */
const SERVERS_FAULT = /^(08|40|53|55P03|57|58)/

/** Whether an error says nothing about the message it was met with. */
export function isServersFault(error: unknown): boolean {
  return SERVERS_FAULT.test(String((error as { code?: unknown } | null)?.code))
}

/**
 * Settles what can be: a group that fails is tried again in halves, down to the single message. Throws
 * where the transaction itself is lost, or the fault is the server's: then it is no message's, and all
 * of them wait for the next try.
 */
export async function settleApart(
  tx: Transaction,
  outbox: Outbox,
  { settlements, args }: { settlements: readonly Settlement[]; args: SettleArgs },
): Promise<{ settled: Set<string>; unsettled: Unsettled[] }> {
  const settled = new Set<string>()
  const unsettled: Unsettled[] = []
  const settle = async (group: readonly Settlement[]): Promise<void> => {
    try {
      const ids = await inSavepoint(tx, () => settleIn(tx, outbox, { settlements: group, args }))
      ids.forEach((id) => settled.add(id))
    } catch (error) {
      if (isServersFault(error)) throw error
      const [only, ...others] = group
      if (only && others.length === 0) return settleOne(only, error)
      const half = Math.ceil(group.length / 2)
      await settle(group.slice(0, half))
      await settle(group.slice(half))
    }
  }
  const settleOne = async (settlement: Settlement, error: unknown): Promise<void> => {
    try {
      // What ends because it cannot be settled ends without the audit that may be the reason.
      if (settlement.decision.failure?.code !== 'CLAIM_FATAL') throw error
      const group = { settlements: [settlement], args }
      const ids = await inSavepoint(tx, () => settleRoles(tx, outbox, group))
      ids.forEach((id) => settled.add(id))
    } catch {
      unsettled.push({ settlement, error })
    }
  }
  if (settlements.length > 0) await settle(settlements)
  return { settled, unsettled }
}
