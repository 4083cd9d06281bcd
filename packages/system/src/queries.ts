import { sql, toMs, type Duration, type Queryable, type Statement } from '@posthorn/engine'
import type { ClockMove } from './real-time.ts'
import type { AuditSearch, AuditSource, SystemAuditEntry } from './system.ts'

/*
 * What a statement gives, said before the statement: `first<Payment>(db)(sql`…`)`. The statement comes
 * alone, so that it stands whole.
 */

/** Every row. */
export const all =
  <Row>(db: Queryable) =>
  async (statement: Statement): Promise<Row[]> =>
    (await db.query<Row>(statement)).rows

/** The first row, if there is one. */
export const first =
  <Row>(db: Queryable) =>
  async (statement: Statement): Promise<Row | undefined> =>
    (await db.query<Row>(statement)).rows[0]

/** The row of a statement that always gives one. */
export const one =
  <Row>(db: Queryable) =>
  async (statement: Statement): Promise<Row> =>
    (await db.query<Row>(statement)).rows[0] as Row

/** How many rows there were. */
export const count = (db: Queryable) => async (statement: Statement) =>
  (await db.query(statement)).rows.length

/** Whether there was a row. */
export const some = (db: Queryable) => async (statement: Statement) =>
  (await count(db)(statement)) > 0

/** The `id` of every row. */
export const listIds = (db: Queryable) => async (statement: Statement) =>
  (await all<{ id: string }>(db)(statement)).map(({ id }) => id)

/**
 * A table with the columns of an audit, to be searched. One whose `created_at` is by the business clock
 * also has `recorded_at`, by the real one.
 */
export function auditSource(table: string, clock: 'wall' | 'business'): AuditSource {
  const times =
    clock === 'wall'
      ? sql`created_at as at, null::timestamptz as business_at`
      : sql`recorded_at as at, created_at as business_at`
  const rows = sql`
    select seq, org_id, actor, action, entity_type, entity_id, to_jsonb(details) as details, ${times}
      from ${sql.id(table)}`
  return { name: table, search: (db, search) => searchAudit(db, search, rows) }
}

/** The newest of these rows that a search asks for. They have the columns of an entry. */
export function searchAudit(
  db: Queryable,
  search: AuditSearch,
  rows: Statement,
): Promise<SystemAuditEntry[]> {
  const { org, entityType, entityId, actor, action, since, until, before } = search
  return all<SystemAuditEntry>(db)(sql`
    select seq::text, org_id, actor, action, entity_type, entity_id, details, at, business_at
      from (${rows}) as audit
     where (${org}::text is null or org_id = ${org})
       and (${entityType}::text is null or entity_type = ${entityType})
       and (${entityId}::text is null or entity_id = ${entityId})
       and (${actor}::text is null or actor = ${actor})
       and (${action}::text is null or action = ${action})
       and (${since}::timestamptz is null or at >= ${since})
       and (${until}::timestamptz is null or at < ${until})
       and (${before}::bigint is null or seq < ${before}::bigint)
     order by audit.seq desc
     limit ${search.limit}`)
}

/** How the business clock was moved, the oldest first. In production it never is. */
export async function listClockMoves(db: Queryable): Promise<ClockMove[]> {
  const { rows } = await db.query<{ at: Date; by: Duration }>(sql`
    select at, subject as by
      from posthorn.operation
     where operation = 'advance-clock' and exists (select from posthorn.clock where movable)
     order by operation.id`)
  return rows.map(({ at, by }) => ({ at, ms: toMs(by) }))
}
