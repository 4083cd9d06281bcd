-- What a statement changed, by adding up what is and taking off what was. A join of both would be
-- planned once in a session, for as many rows as its first statement has: planned for none, it then
-- compares each of a thousand with each.
create or replace function evidence.rows_moved() returns trigger language plpgsql as $$
begin
  insert into evidence.file_job_delta
         (file_job_id, pending, published, failed, success, error,
          first_success, first_failed, first_error, attempts)
  select change.*, greatest(failed + success + error, 0)
    from (select file_job_id,
                 coalesce(sum(n) filter (where status = 'PENDING'), 0) as pending,
                 coalesce(sum(n) filter (where status = 'PUBLISHED'), 0) as published,
                 coalesce(sum(n) filter (where status = 'FAILED'), 0) as failed,
                 coalesce(sum(n) filter (where status = 'SUCCESS'), 0) as success,
                 coalesce(sum(n) filter (where status = 'ERROR'), 0) as error,
                 coalesce(sum(n) filter (where first_outcome = 'SUCCESS'), 0),
                 coalesce(sum(n) filter (where first_outcome = 'FAILED'), 0),
                 coalesce(sum(n) filter (where first_outcome = 'ERROR'), 0)
            from (select file_job_id, status, first_outcome, 1 as n from new_rows
                  union all
                  select file_job_id, status, first_outcome, -1 from old_rows) as counted
           group by file_job_id) as change
   where (pending, published, failed, success, error) <> (0, 0, 0, 0, 0);
  if not found then
    return null;
  end if;
  if exists (select from old_rows where status = 'ERROR') then
    insert into evidence.file_outbox_row_audit
           (file_outbox_row_id, old_status, new_status, retry_count, error_code, transitioned_by)
    select n.id, o.status, n.status, n.retry_count, o.error_code, 'OPERATOR'
      from new_rows as n
      join old_rows as o on o.id = n.id
     where o.status = 'ERROR' and n.status = 'PENDING';
    update evidence.file_job_artifact as a
       set attachment_status = 'PENDING', updated_at = now()
      from new_rows as n
      join old_rows as o on o.id = n.id
     where o.status = 'ERROR' and n.status = 'PENDING'
       and a.file_outbox_row_id = n.id and a.attachment_status = 'FAILED';
  end if;
  return null;
end $$;
