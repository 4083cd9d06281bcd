// These statements stand whole, as they run, in packages/engine/statements, one file for each way to claim;
// a test writes those files.
import type { ResolvedDefinition } from '../outbox/resolved-definition.ts'
import { literal, opaqueArray, prepare, type Prepared } from './prepared.ts'

/** Counts messages that were sent again and could not be settled; their claims run out by themselves. */
export function countUnsettled({
  table,
  columns,
  confirmWithinMs,
}: ResolvedDefinition): Prepared | undefined {
  if (confirmWithinMs === undefined) return undefined
  return prepare(
    (p) => `update ${table}
   set lost_claims = lost_claims + 1
 where ${columns.id} = any(${opaqueArray(p('ids'), columns.idType)})
   and claim_token = ${p('token')}::uuid`,
  )
}

/**
 * Marks messages that could not be settled, though their neighbours could: each is next claimed alone,
 * and ends after as many times as a message that kills its relay. The relay that settles still owns them.
 */
export function markSuspects({ table, columns, states, order }: ResolvedDefinition): Prepared {
  const waits = order ? 'held = true' : 'claim_token = null, claimed_until = null'
  const state = states.claimed === undefined ? '' : `, ${columns.status} = ${literal(states.retry)}`
  return prepare(
    (p) => `update ${table}
   set lost_claims = lost_claims + 1,
       ${columns.dueAt} = posthorn.now() + ${p('delayMs')} * interval '1 ms',
       ${waits}${state}
 where ${columns.id} = any(${opaqueArray(p('ids'), columns.idType)})${
   order ? '' : `\n   and claim_token = ${p('token')}::uuid`
 }`,
  )
}
