import type { ResolvedDefinition } from '../outbox/resolved-definition.ts'

/**
 * What the engine and the definition want to know of a row, for a select list: every column, or those that
 * `reads` names beside the engine's own. PostgreSQL sends and the relay parses every column that is named here.
 */
export function readColumns(
  definition: ResolvedDefinition,
  alias: string,
  /** What the statement itself has added to the row. */
  added: readonly string[] = [],
): string {
  if (definition.reads === undefined) return `${alias}.*`
  const names = [...added, ...engineReads(definition), ...definition.reads]
  return [...new Set(names)].map((name) => `${alias}.${name}`).join(', ')
}

function engineReads({ columns, counter, fair, order }: ResolvedDefinition): string[] {
  const { id, status, dueAt, createdAt, sentAt, attemptId, traceparent, priority } = columns
  // By key a message goes when its bucket comes to it: the time it was due is only for its latency.
  const times = order && createdAt === undefined ? [] : [dueAt, createdAt]
  const ours = [id, status, ...times, sentAt, attemptId, traceparent, counter.column, counter.limit]
  const place = order ? [order.key, 'bucket', 'seq', 'held'] : [fair?.by, priority]
  return [...ours, ...place, ...Object.values(columns.ref ?? {}), 'lost_claims'].filter(
    (name) => name !== undefined,
  )
}
