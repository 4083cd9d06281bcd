-- Files that several members of an organisation uploaded while runs were each user's own: the first run
-- stands for all of them. Behind 0008 and not in it: it reads every run.
update payments.reconciliation_runs as r
   set copy_of = f.first
  from (select org_id, file_hash, (array_agg(id order by id))[1] as first
          from payments.reconciliation_runs
         group by org_id, file_hash
        having count(*) > 1) as f
 where r.org_id = f.org_id and r.file_hash = f.file_hash and r.id <> f.first;
