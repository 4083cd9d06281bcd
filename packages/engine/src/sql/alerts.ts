import { sql, type Statement } from '../enqueue/sql-tag.ts'
import { directionOf, type TimeSort } from './direction.ts'

/** An alert as it stands in its table; the id is text, since JavaScript's numbers end before it. */
export interface AlertRow {
  readonly id: string
  readonly source: string
  readonly subject: string
  readonly tenant: string | null
  readonly code: string
  readonly detail: string
  readonly raised_at: Date
  readonly acknowledged_at: Date | null
  readonly acknowledged_by: string | null
  readonly recovered_at: Date | null
}

/** What a list of alerts is narrowed to; null matches all. */
export interface AlertConditions {
  readonly source: string | null
  readonly code: string | null
  readonly tenant: string | null
  /** Alerts older than this one. */
  readonly before: string | null
  readonly sort: TimeSort
  readonly limit: number
}

const COLUMNS = sql`id::text as id, source, subject, tenant, code, detail, raised_at,
           acknowledged_at, acknowledged_by, recovered_at`

/** The states of an alert as conditions: each alert fits just one. */
const STATES = {
  open: sql`acknowledged_at is null and recovered_at is null`,
  acknowledged: sql`acknowledged_at is not null and recovered_at is null`,
  recovered: sql`recovered_at is not null`,
  any: sql`true`,
}

export function selectAlerts(
  state: keyof typeof STATES,
  { source, code, tenant, before, sort, limit }: AlertConditions,
): Statement {
  const { beyond, order } = directionOf(sort === 'newest' ? '-id' : 'id')
  return sql`
    select ${COLUMNS}
      from posthorn.alert
     where ${STATES[state]}
       and (${source}::text is null or source = ${source})
       and (${code}::text is null or code = ${code})
       and (${tenant}::text is null or tenant = ${tenant})
       and (${before}::bigint is null or id ${beyond} ${before}::bigint)
     order by alert.id ${order}
     limit ${limit}`
}

export function selectAlert(id: string): Statement {
  return sql`select ${COLUMNS} from posthorn.alert where id = ${id}::bigint`
}

/** Two that raise the same alert at once must see each other's. */
export function lockAlertSubject(source: string, subject: string): Statement {
  return sql`select pg_advisory_xact_lock(hashtextextended(${`alert ${source} ${subject}`}, 0))`
}

export function selectStanding(alert: {
  source: string
  subject: string
  code: string
}): Statement {
  return sql`
    select ${COLUMNS}
      from posthorn.alert
     where source = ${alert.source} and subject = ${alert.subject} and code = ${alert.code}
       and recovered_at is null
     order by alert.id
     limit 1`
}

export function insertAlert(alert: {
  source: string
  subject: string
  tenant: string | undefined
  code: string
  detail: string
}): Statement {
  return sql`
    insert into posthorn.alert (source, subject, tenant, code, detail)
    values (${alert.source}, ${alert.subject}, ${alert.tenant ?? null}, ${alert.code}, ${alert.detail})
    returning ${COLUMNS}`
}

export function recoverAlerts(source: string, subject: string): Statement {
  return sql`
    update posthorn.alert
       set recovered_at = now()
     where source = ${source} and subject = ${subject} and recovered_at is null
    returning id`
}

/**
 * Acknowledges it, with its trace in the audit, unless it is acknowledged already or another
 * tenant's: then there is no row.
 */
export function acknowledge(id: string, by: string, tenant: string | null): Statement {
  return sql`
    with acknowledged as (
      update posthorn.alert
         set acknowledged_at = now(), acknowledged_by = ${by}
       where id = ${id}::bigint and acknowledged_at is null
         and (${tenant}::text is null or tenant = ${tenant})
      returning *
    ),
    noted as (
      insert into posthorn.operation (operation, outbox, subject, tenant, actor)
      select 'acknowledge', source, subject, tenant, ${by} from acknowledged
    )
    select ${COLUMNS} from acknowledged`
}

export const countOpenAlerts: Statement = sql`
  select source, count(*)::int as count
    from posthorn.alert
   where acknowledged_at is null and recovered_at is null
   group by source
   order by source`

/**
 * Ends the alerts of messages that are dead no longer: a part of the statement that replays or
 * cancels them, so that no delivery has to look for alerts.
 */
export function recoverAlertsCte(outbox: string, messages: string): string {
  return `,
recovered as (
  update posthorn.alert as a
     set recovered_at = now()
   where a.source = '${outbox}' and a.subject = any(array(select id::text from ${messages}))
     and a.recovered_at is null
)`
}
