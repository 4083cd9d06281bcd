// These statements stand whole, as they run, in packages/engine/statements, one file for each way to claim;
// a test writes those files.
import type { ResolvedDefinition } from '../outbox/resolved-definition.ts'
import { anyOf, literal, prepare, opaqueArray, type Prepared } from './prepared.ts'

/**
 * Locks messages that an outcome may still settle: sent ones, and those on their way. Ordered by
 * id, so that two batches of outcomes cannot deadlock.
 */
export function lockSent({ table, columns, states, order }: ResolvedDefinition): Prepared {
  const sent = `${columns.status} = ${literal(states.sent)}`
  const onItsWay =
    states.claimed !== undefined
      ? `${columns.status} = ${literal(states.claimed)}`
      : `claim_token is not null and ${anyOf(columns.status, [states.ready, states.retry])}`
  return prepare(
    (p) => `select *, ${columns.status}::text as claim_from
  from ${table}
 where ${columns.id} = any(${opaqueArray(p('ids'), columns.idType)})
   and (${order ? sent : `${sent} or ${onItsWay}`})
 order by ${columns.id}
   for update`,
  )
}
