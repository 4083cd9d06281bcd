import { sql, type Queryable, type Transaction } from '@posthorn/engine'
import {
  all,
  directionOf,
  first,
  searchAudit,
  uuidIn,
  type AuditSource,
  type RowOf,
} from '@posthorn/system'
import type { Move } from '../outbox.ts'
import type { ArtifactResource, AuditResource, FileOutboxRow, RowState } from './row.ts'

/** Keys of objects that are to be removed, the oldest marks first. */
export async function listRemovals(db: Queryable, limit: number): Promise<string[]> {
  const { rows } = await db.query<{ key: string }>(sql`
    select key from evidence.object_removal order by marked_at, key limit ${limit}`)
  return rows.map(({ key }) => key)
}

export async function deleteRemovals(db: Queryable, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return
  await db.query(sql`delete from evidence.object_removal where key = any(${keys}::text[])`)
}

/** Notes the same move of many rows. */
export async function insertAudits(
  tx: Transaction,
  { from, to, retryCount, errorCode, by }: Move,
  rowIds: readonly string[],
): Promise<void> {
  await tx.query(sql`
    insert into evidence.file_outbox_row_audit
           (file_outbox_row_id, old_status, new_status, retry_count, error_code, transitioned_by)
    select id, ${from}, ${to}, ${retryCount}, ${errorCode}, ${by}
      from unnest(${rowIds}::uuid[]) as id`)
}

export async function failArtifacts(tx: Transaction, rowIds: readonly string[]): Promise<void> {
  await tx.query(sql`
    update evidence.file_job_artifact
       set attachment_status = 'FAILED', updated_at = now()
     where file_outbox_row_id = any(${rowIds}::uuid[]) and attachment_status = 'PENDING'`)
}

export interface RowPage {
  readonly jobId: string
  readonly status: RowState | undefined
  readonly caseId: string | undefined
  /** Behind this row, in the order of `sort`. */
  readonly after: number | null
  readonly sort: string
  readonly limit: number
}

/** Rows of a file, or of one case in it: each has an index. */
export function listRows(
  db: Queryable,
  { jobId, status: wanted, caseId, after, sort, limit }: RowPage,
) {
  const status = wanted ?? null
  const { beyond, order } = directionOf(sort)
  const ofCase = caseId === undefined ? sql`` : sql`and case_id = ${caseId}`
  return all<FileOutboxRow>(db)(sql`
    select *
      from evidence.file_outbox_row
     where file_job_id = ${jobId} ${ofCase}
       and (${after}::int is null or row_number ${beyond} ${after}::int)
       and (${status}::text is null or status = ${status})
     order by row_number ${order}
     limit ${limit}`)
}

/** Errors alone, which have an index of their own. */
export const listErrors = (
  db: Queryable,
  { jobId, after, limit }: Pick<RowPage, 'jobId' | 'limit'> & { readonly after: number },
) =>
  all<FileOutboxRow>(db)(sql`
    select *
      from evidence.file_outbox_row
     where file_job_id = ${jobId} and row_number > ${after} and status = 'ERROR'
     order by row_number
     limit ${limit}`)

export const findRow = (db: Queryable, { jobId, rowId }: { jobId: string; rowId: string }) =>
  first<FileOutboxRow>(db)(sql`
    select * from evidence.file_outbox_row where id = ${rowId} and file_job_id = ${jobId}`)

/** A row of `evidence.file_job_artifact`. */
export interface Artifact extends RowOf<typeof ArtifactResource> {
  readonly position: number
  readonly storage_key: string
}

/** A file of the job, by its id. */
export const findArtifact = (
  db: Queryable,
  { jobId, artifactId }: { jobId: string; artifactId: string },
) =>
  first<Artifact>(db)(sql`
    select id, position, filename, storage_key, size_bytes, content_type, attachment_status,
           document_mgmt_id
      from evidence.file_job_artifact
     where id = ${artifactId} and file_job_id = ${jobId}`)

export const listArtifacts = (db: Queryable, rowId: string) =>
  all<Artifact>(db)(sql`
    select id, position, filename, storage_key, size_bytes, content_type, attachment_status,
           document_mgmt_id
      from evidence.file_job_artifact
     where file_outbox_row_id = ${rowId}
     order by position`)

export const listAudit = (db: Queryable, rowId: string) =>
  all<RowOf<typeof AuditResource>>(db)(sql`
    select old_status, new_status, retry_count, error_code, transitioned_by, created_at
      from evidence.file_outbox_row_audit
     where file_outbox_row_id = ${rowId}
     order by id
     limit 1000`)

/** What became of one row, for who searches the audit by its id: a list of all would be millions. */
export const rowAudit: AuditSource = {
  name: 'evidence.file_outbox_row_audit',
  async search(db, { entityId, ...search }) {
    if (entityId === null || uuidIn(entityId) === null) return []
    const moves = sql`
      select a.id as seq, r.org_id, a.transitioned_by as actor,
             'row.' || lower(a.new_status) as action, 'file_outbox_row' as entity_type,
             r.id::text as entity_id, a.created_at as at, null::timestamptz as business_at,
             jsonb_build_object('from', a.old_status, 'to', a.new_status,
                                'retryCount', a.retry_count, 'errorCode', a.error_code) as details
        from evidence.file_outbox_row_audit as a
        join evidence.file_outbox_row as r on r.id = a.file_outbox_row_id
       where a.file_outbox_row_id = ${entityId}::uuid`
    return searchAudit(db, { ...search, entityId: null }, moves)
  },
}

/** Errors of a job that may be tried again, a batch at a time. */
export const listRetryable = (
  tx: Transaction,
  { jobId, after, limit }: { jobId: string; after: number; limit: number },
) =>
  all<{ id: string; row_number: number }>(tx)(sql`
    select id, row_number
      from evidence.file_outbox_row
     where file_job_id = ${jobId} and row_number > ${after} and status = 'ERROR'
       and error_code not in ('INVALID_ROW', 'INVALID_FILE', 'CANCELLED')
     order by row_number
     limit ${limit}`)
