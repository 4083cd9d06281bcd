import { sql, type Queryable } from '@posthorn/engine'
import { all, one } from '@posthorn/system'

export interface EvidenceSums {
  readonly jobs: number
  readonly open: number
  readonly rejected: number
  readonly rows: number
  readonly attached: number
  readonly failed: number
  /** Given up before the store had failed as often as the policy has it. */
  readonly early: number
  /** Jobs whose counters are not what their rows say. */
  readonly miscounted: number
  /** Rows whose audit does not end where they are. */
  readonly unrecorded: number
}

export const selectEvidenceSums = (db: Queryable) =>
  one<EvidenceSums>(db)(sql`
    with counted as (
      select file_job_id, count(*) as total,
             count(*) filter (where status = 'SUCCESS') as success,
             count(*) filter (where status = 'ERROR') as error
        from evidence.file_outbox_row group by 1
    )
    select (select count(*)::int from evidence.file_job) as jobs,
           (select count(*)::int from evidence.file_job where completed_at is null) as open,
           (select count(*)::int from evidence.file_job where status = 'REJECTED') as rejected,
           coalesce(sum(total), 0)::int as rows,
           coalesce(sum(success), 0)::int as attached,
           coalesce(sum(error), 0)::int as failed,
           (select count(*)::int from evidence.file_outbox_row as r
             where r.status = 'ERROR'
               and (select count(*) from evidence.file_outbox_row_audit as a
                     where a.file_outbox_row_id = r.id and a.new_status in ('FAILED', 'ERROR')
                       and a.transitioned_by = 'EVIDENCE_WORKER') < 3) as early,
           (select count(*)::int from evidence.file_job as j
              left join counted as c on c.file_job_id = j.id
             where j.status <> 'REJECTED'
               and (j.total_rows, j.success_count, j.error_count)
                   is distinct from (coalesce(c.total, 0), coalesce(c.success, 0),
                                     coalesce(c.error, 0))) as miscounted,
           (select count(*)::int from evidence.file_outbox_row as r
              left join lateral (
                select new_status from evidence.file_outbox_row_audit as a
                 where a.file_outbox_row_id = r.id order by a.id desc limit 1) as last on true
             where last.new_status is distinct from r.status) as unrecorded
      from counted`)

/** Files that were uploaded, each with its key. */
export const selectJobs = (db: Queryable) =>
  all<{ id: string; key: string }>(db)(sql`
    select id, idempotency_key as key from evidence.file_job where idempotency_key is not null`)

export const selectCases = (db: Queryable) =>
  all<{ caseId: string; status: string }>(db)(sql`
    select case_id as "caseId", status from evidence.file_outbox_row`)
