import type { Prepared } from '../database/prepared.ts'
import type { Outbox } from '../outbox/define.ts'
import { keyStatements } from '../relay/key/claim.sql.ts'
import { moveStatements } from '../relay/log/log-moves.sql.ts'
import { logStatements } from '../relay/log/log.sql.ts'
import { rowStatements } from '../relay/row/claim.sql.ts'
import { leaseStatements } from '../relay/settle/bucket.sql.ts'
import { heldStatements } from '../relay/settle/held.sql.ts'
import { settleStatements, type SettleRole } from '../relay/settle/settle.sql.ts'

/**
 * The statements that a relay runs for an outbox, whole, as a file for people. A test keeps them next to the
 * definition: `await expect(printStatements(outbox)).toMatchFileSnapshot('./statements/rows.sql')`.
 */
export function printStatements<Row>(outbox: Outbox<Row>): string {
  const texts = Object.entries(statementsOf(outbox as unknown as Outbox)).map(
    ([title, { params, text }]) => {
      const values = params.map((param, i) => `$${i + 1} ${param}`).join(', ')
      return `-- ${title}${values ? `: ${values}` : ''}\n${text};\n`
    },
  )
  return [`-- The statements of ${outbox.name}, as they run.\n`, ...texts].join('\n')
}

function statementsOf(outbox: Outbox): Record<string, Prepared> {
  const { settle, ...others } = settleStatements(outbox)
  const { claimUnconfirmed, nextDue, renewClaim, ...byRow } = rowStatements(outbox)
  const resend = claimUnconfirmed && { claimUnconfirmed, renewClaim }
  const claims = outbox.order
    ? {
        ...(outbox.log !== undefined && { ...logStatements(outbox), ...moveStatements(outbox) }),
        ...keyStatements(outbox),
        ...leaseStatements(outbox),
        ...heldStatements(outbox),
        ...resend,
      }
    : { ...byRow, claimUnconfirmed, renewClaim }
  const { confirmed, dead } = outbox.states
  const roles: readonly SettleRole[] = [
    'sent',
    ...(confirmed === undefined ? [] : (['confirmed'] as const)),
    'retry',
    ...(dead === undefined ? (['quarantined'] as const) : (['dead'] as const)),
  ]
  const settles = roles.map((role) => {
    const guard = role === 'confirmed' ? 'lock' : outbox.order ? 'lease' : 'claim'
    return [`settle ${role}`, settle(role, guard)] as const
  })
  const all = { ...claims, nextDue, ...Object.fromEntries(settles), ...others }
  return Object.fromEntries(
    Object.entries(all).filter(
      ([title, prepared]) =>
        prepared !== undefined && (title !== 'lockSent' || confirmed !== undefined),
    ),
  ) as Record<string, Prepared>
}
