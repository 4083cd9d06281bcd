import { type Queryable, type Transaction, sql } from '@posthorn/engine'
import { first, some } from '@posthorn/system'
import type { CopyStreamQuery } from 'pg-copy-streams'
import { copyInto } from '@posthorn/bulk/copy'
import type { FileJob } from '../jobs/job.ts'
import type { Checked, Rejection } from './check.ts'
import type { FileInHand } from './outbox.ts'
import type { StagedFile } from './staging.ts'

/** A job that is ours for as long as it has our token. */
export interface JobClaim {
  readonly job: FileJob
  readonly token: string
}

/** Begins to read a file that is in hand; undefined if it is not any more. */
export const takeJob = (db: Queryable, { id, token }: FileInHand) =>
  first<FileJob>(db)(sql`
    update evidence.file_job
       set status = case status when 'RECEIVED' then 'PROCESSING' else status end
     where id = ${id} and claim_token = ${token}
    returning *`)

/** Says why a file is not read before its next date, if there is a reason; how often it has failed until now. */
export async function noteWait(
  db: Queryable,
  { job, token }: JobClaim,
  waitsFor: FileJob['waits_for'],
): Promise<number | undefined> {
  const { rows } = await db.query<{ failures: number }>(sql`
    update evidence.file_job
       set waits_for = ${waitsFor}
     where id = ${job.id} and claim_token = ${token}
    returning failures`)
  return rows[0]?.failures
}

/** Moves the checkpoint to the row that is stored last; false if the job is no longer ours there. */
export const moveCheckpoint = (
  tx: Transaction,
  { job, token }: JobClaim,
  { from, to }: { from: number; to: number },
) =>
  some(tx)(sql`
    update evidence.file_job
       set rows_read = ${to}, failures = 0, lost_claims = 0
     where id = ${job.id} and claim_token = ${token} and rows_read = ${from}
    returning id`)

/** From here on nothing rejects the job. */
export const markStaged = (
  tx: Transaction,
  { job, token }: JobClaim,
  { header, rows: expected, warnings }: Checked,
) =>
  first<FileJob>(tx)(sql`
    update evidence.file_job
       set columns = ${header.names}::text[], expected_rows = ${expected},
           warnings = ${JSON.stringify(warnings)}::jsonb, staged_at = now(), waits_for = null
     where id = ${job.id} and claim_token = ${token}
    returning *`)

/** Parsing has ended. The empty delta wakes the tally worker: perhaps nothing else will change. */
export const markParsed = (tx: Transaction, { job, token }: JobClaim, totalRows: number) =>
  some(tx)(sql`
    with parsed as (
      update evidence.file_job
         set total_rows = ${totalRows}
       where id = ${job.id} and claim_token = ${token}
      returning id
    )
    insert into evidence.file_job_delta (file_job_id) select id from parsed returning file_job_id`)

export const markRejected = (
  tx: Transaction,
  { job, token }: JobClaim,
  { reason, detail }: Rejection,
) =>
  some(tx)(sql`
    update evidence.file_job
       set status = 'REJECTED', reason = ${reason}, reason_detail = ${detail},
           completed_at = now(), waits_for = null
     where id = ${job.id} and claim_token = ${token}
    returning id`)

export async function insertFiles(
  tx: Transaction,
  { job, token }: JobClaim,
  files: readonly StagedFile[],
): Promise<void> {
  const column = <Value>(value: (file: StagedFile) => Value) => files.map((file) => value(file))
  await tx.query(sql`
    insert into evidence.file_job_file
           (file_job_id, name, storage_key, size_bytes, content_type, error_message)
    select j.id, u.*
      from evidence.file_job as j,
           unnest(${column(({ name }) => name)}::text[],
                  ${column((file) => (file.kind === 'staged' ? file.key : null))}::text[],
                  ${column((file) => (file.kind === 'staged' ? file.size : null))}::bigint[],
                  ${column((file) => (file.kind === 'staged' ? file.contentType : null))}::text[],
                  ${column((file) => (file.kind === 'bad' ? file.message : null))}::text[]) as u
     where j.id = ${job.id} and j.claim_token = ${token}
        on conflict do nothing`)
}

export async function listFiles(db: Queryable, jobId: string): Promise<StagedFile[]> {
  const { rows } = await db.query<{
    name: string
    storage_key: string | null
    size_bytes: string | null
    content_type: string | null
    error_message: string | null
  }>(sql`
    select name, storage_key, size_bytes, content_type, error_message
      from evidence.file_job_file
     where file_job_id = ${jobId}`)
  return rows.map((row) =>
    row.storage_key === null
      ? { kind: 'bad', name: row.name, message: row.error_message ?? '' }
      : {
          kind: 'staged',
          name: row.name,
          key: row.storage_key,
          size: Number(row.size_bytes),
          contentType: row.content_type ?? 'application/octet-stream',
        },
  )
}

/** The columns that a line of a row has, tab by tab. */
const COPY_ROWS = `
  copy evidence.file_outbox_row
       (id, file_job_id, org_id, row_number, line_number, case_id, evidence_files, metadata,
        status, error_code, error_message, first_outcome)
  from stdin`

/** A stream into the rows. */
export function copyRows(tx: Transaction): CopyStreamQuery {
  return copyInto(tx, COPY_ROWS)
}

/** The columns that a line of an artifact has. */
const COPY_ARTIFACTS = `
  copy evidence.file_job_artifact
       (id, file_job_id, file_outbox_row_id, position, filename, storage_key, size_bytes, content_type)
  from stdin`

/** A stream into the artifacts; their rows must be stored. */
export function copyArtifacts(tx: Transaction): CopyStreamQuery {
  return copyInto(tx, COPY_ARTIFACTS)
}
