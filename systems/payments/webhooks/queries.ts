import { sql, type Queryable, type Transaction } from '@posthorn/engine'
import type { AuditEntry } from './audit.ts'

export async function insertAudit(tx: Transaction, entries: readonly AuditEntry[]): Promise<void> {
  await tx.query(sql`
    select payments.create_audit_log(e."org", e."actor", e."action", e."entityType", e."entityId",
                                     coalesce(e."details", '{}'))
      from rows from (
             jsonb_to_recordset(${JSON.stringify(entries)}::jsonb) as (
               "org" text, "actor" text, "action" text, "entityType" text, "entityId" text,
               "details" jsonb)
           ) with ordinality as e
     order by e.ordinality`)
}

export interface AuditRow {
  readonly seq: string
  readonly actor: string
  readonly action: string
  readonly details: unknown
  readonly created_at: Date
}

/** Newest first, those before `before`. */
export async function selectAudit(
  db: Queryable,
  page: { org: string; deliveryId: string; before: string | null; limit: number },
): Promise<AuditRow[]> {
  const { rows } = await db.query<AuditRow>(sql`
    select seq::text as seq, actor, action, details, created_at
      from payments.audit_log
     where entity_type = 'webhook_delivery' and entity_id = ${page.deliveryId}
       and org_id = ${page.org}
       and (${page.before}::bigint is null or seq < ${page.before}::bigint)
     order by seq desc
     limit ${page.limit}`)
  return rows
}

/** Deletes what is older than it is kept, a bounded number at a time. Returns how many. */
export async function pruneAttempts(tx: Transaction, days: number): Promise<number> {
  const { rows } = await tx.query<{ id: string }>(sql`
    delete from payments.webhook_attempts
     where id in (select id from payments.webhook_attempts
                   where started_at < now() - ${days}::int * interval '1 day'
                     and state = 'settled'
                   limit 5000)
    returning id`)
  return rows.length
}

export async function pruneRuns(tx: Transaction, days: number): Promise<number> {
  const { rows } = await tx.query<{ id: string }>(sql`
    delete from payments.webhook_retry_runs
     where (org_id, id) in (select org_id, id from payments.webhook_retry_runs
                             where ran_at < posthorn.now() - ${days}::int * interval '1 day'
                             order by ran_at limit 5000)
    returning id`)
  return rows.length
}

/** A secret that no longer signs is a secret that can only leak. */
export async function pruneSecrets(tx: Transaction): Promise<number> {
  const { rows } = await tx.query<{ id: string }>(sql`
    delete from payments.webhook_secrets where expires_at <= posthorn.now() returning id`)
  return rows.length
}
