import { sql, type Queryable, type Transaction } from '@posthorn/engine'
import type { Artifact } from '../rows/queries.ts'
import type { RowState } from '../rows/row.ts'

/** What the worker must know of a row. */
export interface RequestedRow {
  readonly status: RowState
  readonly retry_count: number
  readonly case_id: string
  /** A publisher has it in hand, by this claim: it may be published and not be noted as such yet. */
  readonly on_its_way: string | null
  readonly artifacts: readonly Artifact[]
}

export async function findRequested(
  db: Queryable,
  rowId: string,
): Promise<RequestedRow | undefined> {
  const { rows } = await db.query<RequestedRow>(sql`
    select r.status, r.retry_count, r.case_id,
           case when r.status in ('PENDING', 'FAILED') then r.claim_token end as on_its_way,
           coalesce((select jsonb_agg(to_jsonb(a) order by a.position)
                       from evidence.file_job_artifact as a
                      where a.file_outbox_row_id = r.id), '[]') as artifacts
      from evidence.file_outbox_row as r
     where r.id = ${rowId}`)
  return rows[0]
}

/** The API's ids are in the order of the files. */
export async function attachArtifacts(
  tx: Transaction,
  rowId: string,
  ids: readonly string[],
): Promise<void> {
  await tx.query(sql`
    update evidence.file_job_artifact as a
       set attachment_status = 'ATTACHED', document_mgmt_id = given.id, updated_at = now()
      from (select id, row_number() over (order by place) as n
              from unnest(${ids}::text[]) with ordinality as u (id, place)) as given,
           (select position, row_number() over (order by position) as n
              from evidence.file_job_artifact
             where file_outbox_row_id = ${rowId}) as mine
     where a.file_outbox_row_id = ${rowId} and a.position = mine.position and mine.n = given.n`)
}
