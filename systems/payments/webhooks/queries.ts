import { sql, type Queryable, type Transaction } from '@posthorn/engine'
import { all } from '../rows.ts'

/** An entry of the system's own audit. */
export interface AuditEntry {
  readonly org: string
  readonly actor: string
  readonly action: string
  readonly entityType: 'webhook_endpoint' | 'webhook_delivery' | 'portal_token'
  readonly entityId: string
  readonly details?: Readonly<Record<string, unknown>>
}

/** Writes entries in the transaction that made them true, in their order. */
export async function recordAudit(tx: Transaction, entries: readonly AuditEntry[]): Promise<void> {
  if (entries.length > 0) await insertAudit(tx, entries)
}

/** An alert that needs a notice. */
export interface Notable {
  readonly id: string
  readonly source: string
  readonly subject: string
  readonly tenant: string | null
  readonly code: string
  readonly detail: string
  readonly raised_at: Date
  readonly recovered_at: Date | null
  /** The hour that the notice is for. */
  readonly hour: Date
}

/**
 * Standing alerts of the last two hours without a notice, one for each subject without a
 * notice in this hour; one that has to wait gets it in the next. Older ones are history when notices are
 * switched on, and those about notices themselves would never end.
 */
export const selectRaised = (tx: Transaction, own: string) =>
  all<Notable>(tx)(sql`
    select * from (
      select distinct on (a.source, a.subject)
             a.id::text as id, a.source, a.subject, a.tenant, a.code, a.detail, a.raised_at,
             a.recovered_at, date_trunc('hour', now()) as hour
        from (select * from posthorn.alert order by id desc limit 5000) a
       where a.raised_at > now() - interval '2 hours' and a.recovered_at is null
         and a.source <> ${own}
         and not exists (select from payments.alert_notices n
                          where n.source = a.source and n.subject = a.subject
                            and n.kind = 'raised'
                            and (n.alert_id = a.id or n.hour = date_trunc('hour', now())))
       order by a.source, a.subject, a.id
    ) as raised
    order by id::bigint
    limit 500`)

/** Alerts with a notice that have recovered. */
export const takeRecovered = (tx: Transaction) =>
  all<Notable>(tx)(sql`
    with over as (
      select n.id, a.recovered_at
        from payments.alert_notices n
        join posthorn.alert a on a.id = n.alert_id
       where n.kind = 'raised' and not n.closed and a.recovered_at is not null
       order by n.id
       limit 500
         for update of n skip locked
    ),
    closed as (
      update payments.alert_notices as n
         set closed = true
        from over
       where n.id = over.id
      returning n.alert_id
    )
    select a.id::text as id, a.source, a.subject, a.tenant, a.code, a.detail, a.raised_at,
           a.recovered_at, date_trunc('hour', now()) as hour
      from closed join posthorn.alert a on a.id = closed.alert_id
     order by a.id`)

const insertAudit = (tx: Transaction, entries: readonly AuditEntry[]) =>
  tx.query(sql`
    select payments.create_audit_log(e."org", e."actor", e."action", e."entityType", e."entityId",
                                     coalesce(e."details", '{}'))
      from rows from (
             jsonb_to_recordset(${JSON.stringify(entries)}::jsonb) as (
               "org" text, "actor" text, "action" text, "entityType" text, "entityId" text,
               "details" jsonb)
           ) with ordinality as e
     order by e.ordinality`)

export interface AuditRow {
  readonly seq: string
  readonly actor: string
  readonly action: string
  readonly details: unknown
  readonly created_at: Date
}

/** Newest first, those before `before`. */
export const selectAudit = (
  db: Queryable,
  page: { org: string; deliveryId: string; before: string | null; limit: number },
) =>
  all<AuditRow>(db)(sql`
    select seq::text as seq, actor, action, details, created_at
      from payments.audit_log
     where entity_type = 'webhook_delivery' and entity_id = ${page.deliveryId}
       and org_id = ${page.org}
       and (${page.before}::bigint is null or seq < ${page.before}::bigint)
     order by audit_log.seq desc
     limit ${page.limit}`)
