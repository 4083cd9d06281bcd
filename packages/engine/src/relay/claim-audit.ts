import { inSavepoint } from '../enqueue/savepoint.ts'
import type { Transaction } from '../enqueue/transaction.ts'
import type { Outbox } from '../outbox/define.ts'
import type { OutboxRow } from '../outbox/resolved-definition.ts'
import { isServersFault } from './settle-apart.ts'

/** A message that the definition's `audit.claimed` fails on. */
export interface Unaudited {
  readonly row: OutboxRow
  readonly error: unknown
}

/**
 * Tells the definition's audit of claimed messages; where it fails it is told of each half, down to the
 * single message. Returns those that it fails on. Throws where the fault is the server's.
 */
export async function auditApart(
  tx: Transaction,
  outbox: Outbox,
  claimed: readonly OutboxRow[],
): Promise<Unaudited[]> {
  if (claimed.length === 0) return []
  try {
    await inSavepoint(tx, async () => outbox.audit.claimed?.(tx, claimed))
    return []
  } catch (error) {
    if (isServersFault(error)) throw error
    const [row, ...others] = claimed
    if (row && others.length === 0) return [{ row, error }]
    const half = Math.ceil(claimed.length / 2)
    return [
      ...(await auditApart(tx, outbox, claimed.slice(0, half))),
      ...(await auditApart(tx, outbox, claimed.slice(half))),
    ]
  }
}
