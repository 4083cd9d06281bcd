import { sql, type Statement } from '../database/sql-tag.ts'
import type { NewAlert, RecoveredCause } from './alert.ts'

export const ALERT_COLUMNS = sql`id::text as id, source, subject, tenant, code, detail, raised_at,
           acknowledged_at, acknowledged_by, recovered_at`

/** Two that raise the same alert at once must see each other's. */
export function lockAlertSubject(source: string, subject: string): Statement {
  return sql`select pg_advisory_xact_lock(hashtextextended(${`alert ${source} ${subject}`}, 0))`
}

export function selectStanding({ source, subject, code, occurrence }: NewAlert): Statement {
  return sql`
    select ${ALERT_COLUMNS}
      from posthorn.alert
     where source = ${source} and subject = ${subject} and code = ${code}
       and occurrence is not distinct from ${occurrence ?? null} and recovered_at is null
     order by alert.id
     limit 1`
}

export function insertAlert(alert: NewAlert): Statement {
  const { source, subject, tenant, code, occurrence, detail } = alert
  return sql`
    insert into posthorn.alert (source, subject, tenant, code, occurrence, detail)
    values (${source}, ${subject}, ${tenant ?? null}, ${code}, ${occurrence ?? null}, ${detail})
    returning ${ALERT_COLUMNS}`
}

export function recoverAlerts({ source, subject, code, occurrence }: RecoveredCause): Statement {
  return sql`
    update posthorn.alert
       set recovered_at = now()
     where source = ${source} and subject = ${subject} and recovered_at is null
       and (${occurrence ?? null}::text is null or occurrence = ${occurrence ?? null})
       and (${code ?? null}::text is null or code = ${code ?? null})
    returning id`
}

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
