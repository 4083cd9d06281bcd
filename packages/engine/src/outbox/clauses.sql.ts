// Clauses that several statements share.
import type { State } from './definition.ts'
import type { ResolvedDefinition } from './resolved-definition.ts'

/** A state as it stands in SQL text: the planner sees it, so the partial index is used. */
export function literal(state: State): string {
  return typeof state === 'number' ? String(state) : `'${state}'`
}

/** Whose message it is, to be returned beside its id; nothing where the table does not say. */
export function tenantOf({ columns }: ResolvedDefinition): string {
  return columns.tenant ? `, m.${columns.tenant}::text as tenant` : ''
}

/** Its column in the engine's own tables, in a list of columns. */
export function tenantColumn({ columns }: ResolvedDefinition): string {
  return columns.tenant ? ', tenant' : ''
}

/** `status = 0`, or `status in ('pending', 'failed')`. */
export function anyOf(column: string, states: readonly State[]): string {
  const words = [...new Set(states)].map(literal)
  return words.length === 1 ? `${column} = ${words[0]}` : `${column} in (${words.join(', ')})`
}

/** Beside the id, what tells a log's messages apart: two of one id are both kept. For a select list. */
export function seqOf({ log }: ResolvedDefinition): string {
  return log === undefined ? '' : ', seq'
}

/** Whether the row `m` is that of `other`, which has its `id` and its `seqOf`. */
export function isRowOf({ log, columns }: ResolvedDefinition, other: string): string {
  const same = `m.${columns.id} = ${other}.id`
  return log === undefined ? same : `${same} and m.seq = ${other}.seq`
}

/** What every claim of an outbox must find: a message that waits and may go. */
export function waitsCondition({ states, columns, retry }: ResolvedDefinition): string {
  const word = anyOf(columns.status, [states.ready, states.retry])
  return retry.attempts === undefined ? `${word} and quarantined_at is null` : word
}

/** No relay of any process claims from a paused outbox: one look into a table of few rows. */
export function unlessPaused({ name }: ResolvedDefinition): string {
  return `not exists (select from posthorn.pause where outbox = '${name}')`
}

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
