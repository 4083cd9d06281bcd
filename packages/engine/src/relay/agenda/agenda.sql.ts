// What waits in the outboxes of a process, asked in one statement.
import { unlessPaused, literal, waitsCondition } from '../../outbox/clauses.sql.ts'
import type { ResolvedDefinition } from '../../outbox/resolved-definition.ts'
import { prepare, type Prepared } from '../../database/prepared.ts'
import { sql, type Statement } from '../../database/sql-tag.ts'
import { selectStrangers, undoneSql } from '../log/log-moves.sql.ts'
import { nextDueSql } from '../row/claim.sql.ts'
import { BUCKETS } from '../settle/bucket.sql.ts'

export interface AgendaRow {
  readonly outbox: string
  /** Until something is due; not above zero where something is; null where nothing waits. */
  readonly ms: number | null
  /** Whether keys, or the cursors of a log, may have to be put right. */
  readonly repair: boolean
  /** Until the next recurring message. */
  readonly recurring_ms: number | null
}

/** Behind a lock on one of the tables the question would wait with all others. */
export const limitAgenda: Statement = sql`
  select set_config('lock_timeout', '1s', true), set_config('statement_timeout', '5s', true)`

/** One branch for each outbox; those that are not asked for cost nothing. */
export function selectAgenda(definitions: readonly ResolvedDefinition[]): Prepared {
  return prepare((p) =>
    definitions
      .map(
        (
          definition,
        ) => `select '${definition.name}' as outbox, w.ms, ${repairSql(definition)} as repair,
       (select (extract(epoch from min(next_at) - posthorn.now()) * 1000)::float8 from posthorn.recurring
         where outbox = '${definition.name}' and paused_at is null) as recurring_ms
  from (select min(ms)::float8 as ms
          from (${waitsSql(definition).join('\n                union all\n                ')}) as each) as w
 where '${definition.name}' = any(${p('asked')}::text[])`,
      )
      .join('\nunion all\n'),
  )
}

/** Milliseconds until what waits is due, each as a statement; not above zero where it is. */
function waitsSql(definition: ResolvedDefinition): string[] {
  const { table, columns, states, order, log, confirmWithinMs } = definition
  const all = `'{${Array.from({ length: BUCKETS }, (_, n) => n).join()}}'`
  // From the front, and of all buckets.
  const whole = (param: 'sinceMs' | 'buckets' | 'late') =>
    ({ sinceMs: '1e12', buckets: all, late: `'{}'` })[param]
  const waits = [`select ms from (${nextDueSql(definition, whole)}) as due`]
  const isFree = '(claimed_until is null or claimed_until < now())'
  if (order) {
    waits.push(`select 0 where ${unlessPaused(definition)} and exists (
                  select from ${table} where ${waitsCondition(definition)} and not held order by bucket, seq limit 1)`)
  } else if (states.claimed !== undefined) {
    waits.push(`(select extract(epoch from claimed_until - now()) * 1000
                   from ${table} where ${columns.status} = ${literal(states.claimed)}
                  order by claimed_until limit 1)`)
  }
  if (log !== undefined) {
    waits.push(`select 0 where ${unlessPaused(definition)}
                   and exists (select from (${undoneSql(definition, 'm.seq', 'limit 1')}) as logged)`)
  }
  if (confirmWithinMs !== undefined && columns.sentAt !== undefined && states.sent !== undefined) {
    waits.push(`(select extract(epoch from ${columns.sentAt} - now()) * 1000 + ${confirmWithinMs}
                   from ${table} where ${columns.status} = ${literal(states.sent)} and ${isFree}
                  order by ${columns.sentAt} limit 1)`)
  }
  return waits
}

/** Keys wait, or should; or what the cursors of a log say is of another cluster or sequence. */
function repairSql(definition: ResolvedDefinition): string {
  const { name, table, order, log } = definition
  if (!order) return 'false'
  const keys = `exists (select from posthorn.held_key where outbox = '${name}')
        or exists (select from ${table} where held and ${waitsCondition(definition)})`
  if (log === undefined) return keys
  return `${keys}
        or (select moved + fresh + restarted > 0 or not may_read or waits_in_table
              from (${selectStrangers(definition)}) as strangers)`
}
