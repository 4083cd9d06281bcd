import { sql, type Queryable, type Transaction } from '@posthorn/engine'
import { all, directionOf, first, one, some } from '@posthorn/system'
import { readingOf } from '../processor/outbox.ts'
import type { CountedJob, FileJob, JobState, Tally } from './job.ts'

/** Which job, and whose: another merchant's is not found. */
export interface JobKey {
  readonly id: string
  readonly org: string
}

export interface NewJob {
  readonly id: string
  readonly org: string
  readonly filename: string
  readonly key: string
  readonly etag: string
  readonly version: string | undefined
  readonly size: number
  /** Of an object that came by itself. */
  readonly bucket?: string
  /** Of an upload. */
  readonly idempotencyKey?: string | undefined
  readonly fingerprint?: string
  readonly by?: string
  readonly sha256?: string
  readonly warnings?: readonly string[]
}

/** Notes what a user did with a job or the settings. */
export async function insertAuditEntry(
  tx: Transaction,
  entry: {
    readonly org: string
    readonly by: string
    readonly action: string
    readonly entity: 'file_job' | 'settings'
    readonly entityId: string
    readonly details: Readonly<Record<string, unknown>>
  },
): Promise<void> {
  await tx.query(sql`
    insert into evidence.audit_log (org_id, actor, action, entity_type, entity_id, details)
    values (${entry.org}, ${entry.by}, ${entry.action}, ${entry.entity}, ${entry.entityId},
            ${JSON.stringify(entry.details)}::jsonb)`)
}

/** Undefined if the same object, or the same idempotency key, has a job. */
export function insertJob(tx: Transaction, job: NewJob) {
  const objectVersion = job.bucket === undefined ? null : (job.version ?? job.etag)
  return first<FileJob>(tx)(sql`
    with made as (
      insert into evidence.file_job
             (id, org_id, filename, storage_key, storage_etag, storage_version, size_bytes,
              bucket, object_version, idempotency_key, request_fingerprint, created_by,
              content_sha256, arrival_warnings, reading)
      values (${job.id}, ${job.org}, ${job.filename}, ${job.key}, ${job.etag},
              ${job.version ?? null}, ${job.size}, ${job.bucket ?? null}, ${objectVersion},
              ${job.idempotencyKey ?? null}, ${job.fingerprint ?? null}, ${job.by ?? null},
              ${job.sha256 ?? null}, ${JSON.stringify(job.warnings ?? [])}::jsonb, ${readingOf(job.size)})
          on conflict do nothing
      returning *
    ), tallied as (
      insert into evidence.file_job_tally (file_job_id) select id from made
    )
    select * from made`)
}

/** The newest job of the merchant in so many days with the same bytes, unless it was rejected. */
export const findSameContent = (
  tx: Transaction,
  { org, sha256, days }: { org: string; sha256: string; days: number },
) =>
  first<FileJob>(tx)(sql`
    select *
      from evidence.file_job
     where org_id = ${org} and content_sha256 = ${sha256} and status <> 'REJECTED'
       and created_at > now() - ${days} * interval '1 day'
     order by created_at desc
     limit 1`)

/** The reader of the file, if there is one, loses it: its claim is gone. */
export const markCancelled = (
  tx: Transaction,
  { id, by, reason }: JobKey & { readonly by: string; readonly reason: string },
) =>
  one<FileJob>(tx)(sql`
    update evidence.file_job
       set cancelled_at = now(), cancelled_by = ${by}, cancel_reason = ${reason},
           claim_token = null, claimed_until = null, not_before = posthorn.now(), waits_for = null
     where id = ${id}
    returning *`)

/** Cancelled jobs that have not come to their end. */
export const listCancelled = (db: Queryable) =>
  all<Pick<FileJob, 'id' | 'org_id' | 'cancelled_by'>>(db)(sql`
    select id, org_id, cancelled_by
      from evidence.file_job
     where cancelled_at is not null and status in ('RECEIVED', 'PROCESSING')
     order by id
     limit 1000`)

/**
 * Ends rows that no publisher has in hand. One whose publisher died may be at the broker already: it
 * is left to be published again, and comes to its outcome.
 */
export async function stopRows(
  tx: Transaction,
  { jobId, org, by, limit }: { jobId: string; org: string; by: string; limit: number },
): Promise<number> {
  const { rows } = await tx.query<{ count: number }>(sql`
    with waiting as (
      select id, status
        from evidence.file_outbox_row
       where org_id = ${org} and file_job_id = ${jobId} and status in ('PENDING', 'FAILED')
         and claim_token is null and lost_claims = 0
       limit ${limit}
         for update skip locked
    ), stopped as (
      update evidence.file_outbox_row as r
         set status = 'ERROR', error_code = 'CANCELLED',
             error_message = 'The file was cancelled before this row was published.'
        from waiting
       where r.id = waiting.id
      returning r.id, waiting.status as before, r.retry_count, r.org_id
    ), audited as (
      insert into evidence.file_outbox_row_audit
             (file_outbox_row_id, old_status, new_status, retry_count, error_code, transitioned_by)
      select id, before, 'ERROR', retry_count, 'CANCELLED', 'OPERATOR' from stopped
    ), recorded as (
      insert into posthorn.transition
             (outbox, message_id, from_state, to_state, attempt, code, actor, reason, tenant)
      select 'evidence.rows', id::text, before, 'ERROR', retry_count + 1, 'CANCELLED', ${by},
             'cancelled', org_id
        from stopped
    ), failed as (
      update evidence.file_job_artifact as a
         set attachment_status = 'FAILED', updated_at = now()
        from stopped
       where a.file_outbox_row_id = stopped.id and a.attachment_status = 'PENDING'
    )
    select count(*)::int as count from stopped`)
  return rows[0]?.count ?? 0
}

/** Announcements of one object take their turn. */
export async function lockObject(
  tx: Transaction,
  { bucket, key }: { bucket: string; key: string },
): Promise<void> {
  await tx.query(sql`
    select pg_advisory_xact_lock(hashtextextended(${`evidence.${bucket}/${key}`}, 1))`)
}

/** The job of an object; where one side knows no version, the etags decide. */
export function findArrived(
  tx: Transaction,
  object: { bucket: string; key: string; version?: string | undefined; etag: string },
) {
  const { bucket, key, version = null, etag } = object
  return first<FileJob>(tx)(sql`
    select *
      from evidence.file_job
     where bucket = ${bucket} and storage_key = ${key}
       and (object_version = coalesce(${version}, ${etag})
            or (storage_etag = ${etag} and (storage_version is null or ${version}::text is null)))
     limit 1`)
}

export const findByIdempotencyKey = (db: Queryable, { org, key }: { org: string; key: string }) =>
  first<FileJob>(db)(sql`
    select * from evidence.file_job where org_id = ${org} and idempotency_key = ${key}`)

export const jobExists = (db: Queryable, id: string) =>
  some(db)(sql`select from evidence.file_job where id = ${id}`)

export const lockJob = (tx: Transaction, { id, org }: JobKey) =>
  first<FileJob>(tx)(sql`
    select * from evidence.file_job where id = ${id} and org_id = ${org} for update`)

/** Uploads of one merchant take their turn: two at once must not both see the last free place. */
export async function lockMerchant(tx: Transaction, org: string): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(hashtextextended(${`evidence.${org}`}, 0))`)
}

/** Jobs whose file is not read yet, and rows of the last day. */
export async function countUsage(
  db: Queryable,
  org: string,
): Promise<{ unread: number; rows: number }> {
  const { rows } = await db.query<{ unread: number; rows: number }>(sql`
    select (select count(*)::int
              from evidence.file_job
             where org_id = ${org} and status in ('RECEIVED', 'PROCESSING')
               and total_rows is null) as unread,
           (select coalesce(sum(coalesce(total_rows, expected_rows, 0)), 0)::float8
              from evidence.file_job
             where org_id = ${org} and created_at > now() - interval '1 day'
               and status <> 'REJECTED') as rows`)
  return rows[0] ?? { unread: 0, rows: 0 }
}

export interface JobPage {
  readonly org: string
  readonly status: JobState | undefined
  /** Behind this one, in the order of `sort`. */
  readonly before: string | null
  readonly sort: string
  readonly limit: number
}

interface Counted extends FileJob, Tally {
  readonly next_retry_at: Date | null
}

/** What the tally says and what has not been added to it yet: together they are exact. */
const COUNTED = sql`
  select file_job_id,
         sum(pending)::int as pending, sum(published)::int as published,
         sum(failed)::int as failed, sum(success)::int as success, sum(error)::int as error,
         sum(first_success)::int as first_success, sum(first_failed)::int as first_failed,
         sum(first_error)::int as first_error, max(per_second)::float8 as per_second
    from (select file_job_id, pending, published, failed, success, error,
                 first_success, first_failed, first_error,
                 case when counted_at > now() - interval '15 s' then per_second else 0 end
                   as per_second
            from evidence.file_job_tally where file_job_id in (select id from job)
           union all
          select file_job_id, pending, published, failed, success, error,
                 first_success, first_failed, first_error, 0
            from evidence.file_job_delta where file_job_id in (select id from job)) as part
   group by file_job_id`

const NEXT_RETRY = sql`
  case when failed > 0 then (
    select r.next_retry_at from evidence.file_outbox_row as r
     where r.org_id = job.org_id and r.file_job_id = job.id and r.status = 'FAILED'
     order by r.next_retry_at
     limit 1) end as next_retry_at`

export async function listJobs(db: Queryable, page: JobPage): Promise<CountedJob[]> {
  const { org, status = null, before, limit } = page
  const { beyond, order } = directionOf(page.sort)
  const { rows } = await db.query<Counted>(sql`
    with job as (
      select *
        from evidence.file_job
       where org_id = ${org}
         and (${status}::text is null or status = ${status})
         and (${before}::uuid is null or id ${beyond} ${before}::uuid)
       order by id ${order}
       limit ${limit}
    )
    select *, ${NEXT_RETRY} from job join (${COUNTED}) as counted on file_job_id = id order by id ${order}`)
  return rows.map(toCountedJob)
}

export async function findJob(db: Queryable, { id, org }: JobKey): Promise<CountedJob | undefined> {
  const { rows } = await db.query<Counted>(sql`
    with job as (select * from evidence.file_job where id = ${id} and org_id = ${org})
    select *, ${NEXT_RETRY} from job join (${COUNTED}) as counted on file_job_id = id`)
  return rows[0] && toCountedJob(rows[0])
}

function toCountedJob(row: Counted): CountedJob {
  const { pending, published, failed, success, error, per_second } = row
  const { first_success, first_failed, first_error } = row
  return {
    ...row,
    tally: {
      ...{ pending, published, failed, success, error, per_second },
      ...{ first_success, first_failed, first_error },
    },
  }
}
