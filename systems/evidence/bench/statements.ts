import type { PoolClient } from 'pg'
import { copyIn } from '../../../bench/kit/copy-in.ts'
import type { EvidenceFiles } from './file.ts'

/* What the system runs for rows, without its guards: the bare loops run these. */

/** Rows that wait, as many as $1. */
export const claim = (columns: string) => ({
  name: 'claim',
  text: `
  update evidence.file_outbox_row as m
     set claim_token = gen_random_uuid(), claimed_until = now() + interval '30 s',
         event_id = gen_random_uuid()
    from (select id
            from evidence.file_outbox_row
           where status in ('PENDING', 'FAILED') and org_id = 'bench'
             and next_retry_at <= posthorn.now()
             and (claimed_until is null or claimed_until < now()) and lost_claims = 0
           order by next_retry_at, id
           limit $1
             for update skip locked) as due
   where m.id = due.id
  returning ${columns}`,
})

/** Where each row of $1 went: its partition in $2, its offset in $3. */
export const MARK = {
  name: 'mark',
  text: `
  update evidence.file_outbox_row as m
     set status = 'PUBLISHED', published_at = now(), claim_token = null, claimed_until = null,
         kafka_partition = u.partition, kafka_offset = u.place
    from unnest($1::uuid[], $2::int[], $3::bigint[]) as u (id, partition, place)
   where m.id = u.id`,
}

const AUDIT = {
  name: 'audit',
  text: `
  insert into evidence.file_outbox_row_audit
         (file_outbox_row_id, old_status, new_status, retry_count, transitioned_by)
  select id, $2, $3, 0, $4 from unnest($1::uuid[]) as id`,
}

const TRANSITION = {
  name: 'transition',
  text: `
  insert into posthorn.transition
         (outbox, message_id, from_state, to_state, attempt, actor, tenant)
  select 'evidence.rows', id, $2, $3, 1, $4, 'bench' from unnest($1::text[]) as id`,
}

/** Writes down that the rows went from one state to another. */
export async function noteMoves(
  client: PoolClient,
  ids: readonly string[],
  [from, to, actor]: readonly [from: string, to: string, actor: string],
): Promise<void> {
  const values = [ids, from, to, actor]
  await client.query({ ...AUDIT, values })
  await client.query({ ...TRANSITION, values })
}

export async function inTransaction(client: PoolClient, work: () => Promise<void>): Promise<void> {
  await client.query('begin')
  await work()
  await client.query('commit')
}

/** A job of so many rows whose file was read. */
export async function insertReadJob(client: PoolClient, id: string, rows: number): Promise<void> {
  await client.query(
    `insert into evidence.file_job
            (id, org_id, filename, storage_key, storage_etag, size_bytes, status, staged_at,
             rows_read, total_rows)
     values ($1, 'bench', 'cases.zip', 'uploads/bench', 'bench', 1, 'PROCESSING', now(), $2, $2)`,
    [id, rows],
  )
}

export async function copyRows(client: PoolClient, { rows }: Pick<EvidenceFiles, 'rows'>) {
  await copyIn(
    client,
    `copy evidence.file_outbox_row
          (id, file_job_id, org_id, row_number, line_number, case_id, evidence_files, metadata)
     from stdin (format csv)`,
    rows,
  )
}

export async function copyArtifacts(
  client: PoolClient,
  { artifacts }: Pick<EvidenceFiles, 'artifacts'>,
) {
  await copyIn(
    client,
    `copy evidence.file_job_artifact
          (file_job_id, file_outbox_row_id, position, filename, storage_key, size_bytes,
           content_type)
     from stdin (format csv)`,
    artifacts,
  )
}
