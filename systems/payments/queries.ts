import { sql, type Queryable, type Transaction } from '@posthorn/engine'
import { all } from '@posthorn/system'

/** An entry of the system's own audit. */
export interface AuditEntry {
  readonly org: string | null
  readonly actor: string
  readonly action: string
  readonly entity: string
  readonly entityId: string
  readonly details?: Readonly<Record<string, unknown>>
}

/** Writes entries in the transaction that made them true, in their order. */
export async function recordAudit(tx: Transaction, ...entries: AuditEntry[]): Promise<void> {
  if (entries.length === 0) return
  await tx.query(sql`
    select payments.create_audit_log(e."org", e."actor", e."action", e."entity", e."entityId",
                                     coalesce(e."details", '{}'))
      from rows from (
             jsonb_to_recordset(${JSON.stringify(entries)}::jsonb) as (
               "org" text, "actor" text, "action" text, "entity" text, "entityId" text,
               "details" jsonb)
           ) with ordinality as e
     order by e.ordinality`)
}

/** A row of `payments.audit_log`. */
interface AuditRow {
  readonly seq: string
  readonly actor: string
  readonly action: string
  readonly details: Readonly<Record<string, unknown>>
  readonly created_at: Date
}

/** What an audit is about. */
export interface AuditSubject extends Pick<AuditEntry, 'entity' | 'entityId'> {
  readonly org: string
}

interface AuditPage extends AuditSubject {
  readonly before: string | undefined
  readonly limit: number
}

/** What happened to something, newest first; what is older than `before`. */
export const selectAudit = (db: Queryable, page: AuditPage) =>
  all<AuditRow>(db)(sql`
    select seq, actor, action, details, created_at
      from payments.audit_log
     where entity_type = ${page.entity} and entity_id = ${page.entityId} and org_id = ${page.org}
       and (${page.before}::bigint is null or seq < ${page.before}::bigint)
     order by seq desc
     limit ${page.limit}`)
