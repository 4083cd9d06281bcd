// These statements stand whole, as they run, in packages/engine/statements, one file for each way to claim;
// a test writes those files.
import type { ResolvedDefinition } from '../outbox/resolved-definition.ts'
import { opaqueArray, prepare, type Prepared } from './prepared.ts'

/** Counts messages that were sent again and could not be settled; their claims run out by themselves. */
export function countUnsettled({
  table,
  columns,
  confirmWithinMs,
}: ResolvedDefinition): Prepared | undefined {
  if (confirmWithinMs === undefined) return undefined
  return prepare(
    (p) => `update ${table}
   set lost_claims = greatest(lost_claims, 1) + 1
 where ${columns.id} = any(${opaqueArray(p('ids'), columns.idType)})
   and claim_token = ${p('token')}::uuid`,
  )
}

/**
 * Marks messages that could not be settled, though their neighbours could: they need no group to be
 * found out. Each is next claimed alone, and ends after as many times as a message that kills its relay.
 * The relay that settles still owns them.
 */
export function markSuspects(definition: ResolvedDefinition): Prepared {
  const { table, columns, states, order } = definition
  if (states.claimed !== undefined) return shortenClaims(definition)
  return prepare(
    (p) => `update ${table}
   set lost_claims = greatest(lost_claims, 1) + 1,
       ${columns.dueAt} = posthorn.now() + ${p('delayMs')} * interval '1 ms',
       ${order ? 'held = true' : 'claim_token = null, claimed_until = null'}
 where ${columns.id} = any(${opaqueArray(p('ids'), columns.idType)})${
   order ? '' : `\n   and claim_token = ${p('token')}::uuid`
 }`,
  )
}

/**
 * With a claimed state its claim runs out soon, and the message goes the way of all lost claims: to set
 * its state here would be a change without a record, unknown to the definition's audit, and a message
 * whose unknown outcome is to be held would be sent again.
 */
function shortenClaims({ table, columns }: ResolvedDefinition): Prepared {
  return prepare(
    (p) => `update ${table}
   set claimed_until = now() + ${p('delayMs')} * interval '1 ms'
 where ${columns.id} = any(${opaqueArray(p('ids'), columns.idType)})
   and claim_token = ${p('token')}::uuid`,
  )
}
