import { sql, type Queryable, type Transaction } from '@posthorn/engine'
import { all, first, listIds, some } from '@posthorn/system'
import type { FileJob, Tally } from '../jobs/job.ts'
import type { Notification, NotificationKind, NotificationRow, Results } from './notification.ts'

export function insertNotification(
  tx: Transaction,
  notification: Notification & { readonly id: string },
): Promise<boolean> {
  const { id, jobId, kind, round, success, pendingRetries, errors, message } = notification
  return some(tx)(sql`
    insert into evidence.file_job_notification
           (id, file_job_id, kind, round, success, pending_retries, errors, message)
    values (${id}, ${jobId}, ${kind}, ${round}, ${success}, ${pendingRetries}, ${errors}, ${message})
        on conflict (file_job_id, kind, round) do nothing
    returning id`)
}

export const listNotifications = (db: Queryable, jobId: string) =>
  all<NotificationRow>(db)(sql`
    select n.id, n.kind, n.round, n.success, n.pending_retries, n.errors, n.message, n.created_at,
           m.recipient as mail_recipient, m.status as mail_status, m.sent_at as mail_sent_at,
           m.error_message as mail_error
      from evidence.file_job_notification as n
      left join evidence.file_job_mail as m on m.file_job_notification_id = n.id
     where n.file_job_id = ${jobId}
     -- Both results may be of one transaction, and then of one moment.
     order by n.created_at desc, n.round desc, n.kind desc
     limit 200`)

/** Where the organisation wants mails about results; null for none. */
export async function findNotificationEmail(db: Queryable, org: string): Promise<string | null> {
  const { rows } = await db.query<{ notification_email: string | null }>(sql`
    select notification_email from evidence.org_settings where org_id = ${org}`)
  return rows[0]?.notification_email ?? null
}

export async function saveNotificationEmail(
  tx: Transaction,
  { org, email, by }: { org: string; email: string | null; by: string },
): Promise<void> {
  await tx.query(sql`
    insert into evidence.org_settings (org_id, notification_email, updated_by)
    values (${org}, ${email}, ${by})
        on conflict (org_id) do update
       set notification_email = excluded.notification_email,
           updated_by = excluded.updated_by, updated_at = now()`)
}

/** Jobs of which something changed since it was added up. */
export const listChanged = (db: Queryable, limit: number) =>
  listIds(db)(sql`
    with recursive changed as (
      (select file_job_id as id from evidence.file_job_delta order by file_job_id limit 1)
      union all
      select (select file_job_id from evidence.file_job_delta
               where file_job_id > changed.id order by file_job_id limit 1)
        from changed
       where changed.id is not null
    )
    select id from changed where id is not null limit ${limit}`)

/** Adds what changed to the job's tally, and returns both. Another worker on the same job waits. */
export const addUp = (tx: Transaction, jobId: string) =>
  first<FileJob & Tally>(tx)(sql`
    with locked as (
      select * from evidence.file_job_tally where file_job_id = ${jobId} for update
    ), gone as (
      -- Only once the tally is ours: else two would each take some and meet there in any order.
      delete from evidence.file_job_delta
       where file_job_id = (select file_job_id from locked)
      returning *
    ), sums as (
      select coalesce(sum(pending), 0) as pending, coalesce(sum(published), 0) as published,
             coalesce(sum(failed), 0) as failed, coalesce(sum(success), 0) as success,
             coalesce(sum(error), 0) as error,
             coalesce(sum(first_success), 0) as first_success,
             coalesce(sum(first_failed), 0) as first_failed,
             coalesce(sum(first_error), 0) as first_error,
             coalesce(sum(attempts), 0) as attempts,
             (select extract(epoch from now() - counted_at) * 1000 from locked)::float8 as ms
        from gone
    ), paced as (
      select *, attempts * 1000 / least(greatest(ms, 200), 1000) as pace from sums
    ), added as (
      update evidence.file_job_tally as t
         set pending = t.pending + s.pending, published = t.published + s.published,
             failed = t.failed + s.failed, success = t.success + s.success,
             error = t.error + s.error,
             first_success = t.first_success + s.first_success,
             first_failed = t.first_failed + s.first_failed,
             first_error = t.first_error + s.first_error,
             -- A mean of the last seconds, so that the number does not jump; after a pause a new one.
             per_second = case when t.per_second = 0 or s.ms > 15000 then s.pace
                               else t.per_second + (s.pace - t.per_second) * (1 - exp(-s.ms / 3000))
                          end,
             counted_at = now()
        from paced as s
       where t.file_job_id = ${jobId}
      returning t.*
    )
    select j.*, a.pending, a.published, a.failed, a.success, a.error,
           a.first_success, a.first_failed, a.first_error, a.per_second
      from evidence.file_job as j
      join added as a on a.file_job_id = j.id`)

export const isNotified = (
  tx: Transaction,
  { jobId, kind }: { jobId: string; kind: NotificationKind },
) =>
  some(tx)(sql`
    select from evidence.file_job_notification where file_job_id = ${jobId} and kind = ${kind}`)

export async function updateResults(
  tx: Transaction,
  jobId: string,
  { success, pendingRetries, errors }: Results,
): Promise<void> {
  await tx.query(sql`
    update evidence.file_job
       set success_count = ${success}, error_count = ${errors}, pending_retries = ${pendingRetries}
     where id = ${jobId}`)
}

export async function completeJob(tx: Transaction, jobId: string): Promise<void> {
  await tx.query(sql`
    update evidence.file_job
       set status = 'COMPLETED', completed_at = now()
     where id = ${jobId} and status = 'PROCESSING'`)
}

/** A completed job of which rows are tried again: another round, with an N2 of its own. */
export async function reopenJob(tx: Transaction, jobId: string): Promise<void> {
  await tx.query(sql`
    update evidence.file_job
       set status = 'PROCESSING', completed_at = null, round = round + 1
     where id = ${jobId} and status = 'COMPLETED'`)
}
