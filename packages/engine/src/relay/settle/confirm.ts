import { decideConfirmed, factsOf } from './decide.ts'
import type { Outbox } from '../../outbox/define.ts'
import type { OutboxRow } from '../../outbox/resolved-definition.ts'
import { DefinitionError } from '../../errors.ts'
import type { Outcome } from '../../outbox/outcome.ts'
import { run, withoutPreparing } from '../../database/pool-handle.ts'
import { holdKeysOf, settleIn } from './settle.ts'
import { settleStatements } from './settle.sql.ts'
import { idOf, type Settlement } from './settlement.ts'
import type { Transaction } from '../../database/transaction.ts'

/** An outcome that came later, from a consumer or a webhook. */
export interface Confirmation {
  readonly id: string
  readonly outcome: Outcome
  /** The counter the outcome speaks of; an outcome of an older attempt is dropped. */
  readonly attempt?: number
}

/**
 * Settles messages whose outcome is known only now. It applies while a message is sent, or on its
 * way (the outcome may overtake the relay's own settling, which then changes nothing). Returns the
 * ids it applied to; the rest were settled before, are of another attempt, or are unknown.
 */
// oxlint-disable-next-line max-params -- transaction, outbox, outcomes and by whom
export async function confirm<Row>(
  tx: Transaction,
  outbox: Outbox<Row>,
  confirmations: readonly Confirmation[],
  { by }: { by?: string } = {},
): Promise<string[]> {
  const box = outbox as unknown as Outbox
  if (box.states.confirmed === undefined) {
    throw new DefinitionError(box.name, 'confirm', 'is needed to confirm anything')
  }
  const plain = withoutPreparing(tx)
  const byId = new Map(confirmations.map((each) => [each.id, each]))
  const rows = await run<OutboxRow>(plain, settleStatements(box).lockSent, {
    ids: [...byId.keys()],
  })
  const settlements = rows.flatMap((row): Settlement[] => {
    const confirmation = byId.get(idOf(box, row))
    const facts = factsOf(box, row)
    if (!confirmation) return []
    if (confirmation.attempt !== undefined && confirmation.attempt !== facts.counted) return []
    const { outcome } = confirmation
    return [{ row, outcome, decision: decideConfirmed(box, facts, outcome) }]
  })
  if (settlements.length === 0) return []
  const actor = by ?? box.audit.actor
  const args = { guard: 'lock', actor, reason: undefined } as const
  const settled = await settleIn(plain, box, { settlements, args })
  await holdKeysOf(plain, box, settlements)
  tx.ringLater(box.bell)
  return [...settled]
}
