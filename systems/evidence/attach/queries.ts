import { sql, type Queryable, type Transaction } from '@posthorn/engine'
import { some } from '@posthorn/system'
import type { Artifact } from '../rows/queries.ts'
import type { RowState } from '../rows/row.ts'

/** What the worker must know of a row. */
export interface RequestedRow {
  readonly id: string
  readonly status: RowState
  readonly retry_count: number
  readonly case_id: string
  /** A publisher has it in hand, by this claim: it may be published and not be noted as such yet. */
  readonly on_its_way: string | null
  readonly artifacts: readonly RequestedFile[]
}

export type RequestedFile = Pick<
  Artifact,
  'position' | 'filename' | 'storage_key' | 'size_bytes' | 'content_type'
>

/** The rows of a poll with their files, by id. */
export async function findRequested(
  db: Queryable,
  rowIds: readonly string[],
): Promise<Map<string, RequestedRow>> {
  if (rowIds.length === 0) return new Map()
  const { rows } = await db.query<RequestedRow>(sql`
    select r.id, r.status, r.retry_count, r.case_id,
           case when r.status in ('PENDING', 'FAILED') then r.claim_token end as on_its_way,
           files.artifacts
      from unnest(${rowIds}::uuid[]) as given (id)
      join evidence.file_outbox_row as r on r.id = given.id
     cross join lateral (
             select coalesce(json_agg(json_build_object(
                      'position', a.position, 'filename', a.filename,
                      'storage_key', a.storage_key, 'size_bytes', a.size_bytes,
                      'content_type', a.content_type) order by a.position), '[]') as artifacts
               from evidence.file_job_artifact as a
              where a.file_outbox_row_id = r.id) as files`)
  return new Map(rows.map((row) => [row.id, row]))
}

/** Whether the publisher still has the row in hand. */
export const isClaimed = (db: Queryable, rowId: string, claim: string) =>
  some(db)(sql`
    select from evidence.file_outbox_row
     where id = ${rowId} and claim_token = ${claim} and status in ('PENDING', 'FAILED')`)

export interface AttachedFile {
  readonly rowId: string
  readonly position: number
  readonly documentId: string
}

/** Notes the API's ids of the files of many rows. */
export async function attachArtifacts(
  tx: Transaction,
  files: readonly AttachedFile[],
): Promise<void> {
  await tx.query(sql`
    update evidence.file_job_artifact as a
       set attachment_status = 'ATTACHED', document_mgmt_id = given.document_id, updated_at = now()
      from unnest(${files.map(({ rowId }) => rowId)}::uuid[],
                  ${files.map(({ position }) => position)}::smallint[],
                  ${files.map(({ documentId }) => documentId)}::text[])
           as given (row_id, position, document_id)
     where a.file_outbox_row_id = given.row_id and a.position = given.position`)
}
