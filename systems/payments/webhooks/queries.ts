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
     order by audit_log.seq desc
     limit ${page.limit}`)
  return rows
}
