-- Audits: tables to which rows are only added. Shortly after their commit, rows are sealed: a chain
-- of hashes shows whether one was changed, taken away or added later.

create table posthorn.audit_table (
  -- Schema and table.
  name text primary key check (name ~ '^[a-z_][a-z0-9_]*\.[a-z_][a-z0-9_]*$'),
  -- A number that grows with every row; ids of transactions that are open may still be missing.
  seq_column text not null,
  -- Hashed as they are.
  public_columns text[] not null,
  -- Hashed as a salted digest that stays when they are erased.
  personal_columns text[] not null,
  -- Everything up to here is sealed, or was rolled back.
  sealed_to bigint not null default -9223372036854775808
);

-- One for each batch of rows; each hash covers the one before it, through all tables.
create table posthorn.audit_seal (
  id bigint primary key,
  audit text not null references posthorn.audit_table (name),
  -- The rows of the table from behind the first to the second number.
  after_seq bigint not null,
  upto_seq bigint not null,
  -- What was hashed then: columns that are added later change nothing.
  public_columns text[] not null,
  personal_columns text[] not null,
  seqs bigint[] not null,
  -- 32 bytes for each row, in the order of their numbers.
  hashes bytea not null,
  previous bytea not null,
  hash bytea not null unique,
  sealed_at timestamptz not null default now(),
  check (after_seq < upto_seq),
  check (octet_length(hashes) = 32 * cardinality(seqs))
);

-- Rows that retention took away, with who and why.
create table posthorn.audit_removal (
  id bigint generated always as identity primary key,
  audit text not null references posthorn.audit_table (name),
  seqs bigint[] not null,
  actor text not null,
  reason text not null,
  removed_at timestamptz not null default now()
);
create index audit_removal_of_audit on posthorn.audit_removal (audit);

-- The digest of a row's personal columns, as SQL on the row t.
create function posthorn.audit_digest_sql(personal text[]) returns text language sql immutable as $$
  select case when cardinality(personal) = 0 then $q$''::bytea$q$ else
    format($q$coalesce(t.erased_digest, sha256(convert_to(
      coalesce(t.audit_salt::text, '') || jsonb_build_array(%s)::text, 'UTF8')))$q$,
      (select string_agg(format('t.%I', name), ', ' order by i)
         from unnest(personal) with ordinality as c (name, i))) end
$$;

-- The hashes of a table's rows from behind one number to another. Times are hashed in UTC.
create function posthorn.audit_hashes(
  audit text, seq_column text, public text[], personal text[], after_seq bigint, upto_seq bigint,
  most integer
) returns table (seq bigint, hash bytea) language plpgsql stable set timezone = 'UTC' as $$
begin
  return query execute format(
    $q$select t.%1$I::bigint, sha256(convert_to(jsonb_build_array(t.%1$I, %2$s)::text, 'UTF8') || %3$s)
         from %4$s as t
        where t.%1$I > $1 and t.%1$I <= $2
        order by t.%1$I
        limit $3$q$,
    seq_column,
    (select string_agg(format('t.%I', name), ', ' order by i)
       from unnest(public) with ordinality as c (name, i)),
    posthorn.audit_digest_sql(personal),
    audit::regclass)
  using after_seq, upto_seq, most;
end $$;

create function posthorn.keep_audit() returns trigger language plpgsql as $$
begin
  if current_setting('posthorn.audit_change', true) = tg_op || ' ' || tg_table_schema || '.' || tg_table_name then
    return case when tg_op = 'DELETE' then old else new end;
  end if;
  -- By a foreign key that cascades: it goes with the row that it is about, and that is noted.
  if tg_op = 'DELETE' and pg_trigger_depth() > 1 then
    insert into posthorn.audit_removal (audit, seqs, actor, reason)
    select name, array[(to_jsonb(old) ->> seq_column)::bigint], current_user, 'went with its row'
      from posthorn.audit_table
     where name = tg_table_schema || '.' || tg_table_name;
    return old;
  end if;
  raise exception 'rows of the audit %.% are only added: % is refused',
    tg_table_schema, tg_table_name, lower(tg_op)
    using errcode = 'insufficient_privilege',
          hint = 'Retention removes rows by posthorn.remove_audit() and erases persons by posthorn.erase_audit().';
end $$;

-- Makes a table an audit: rows are only added from now on, and sealed.
create function posthorn.register_audit(
  audit text, seq_column text, public text[], personal text[]
) returns void language plpgsql as $$
begin
  if cardinality(personal) > 0 then
    -- Without a rewrite: rows that are there already have no salt.
    execute format('alter table %s add column audit_salt uuid, add column erased_digest bytea',
                   audit::regclass);
    execute format('alter table %s alter column audit_salt set default gen_random_uuid()',
                   audit::regclass);
  end if;
  execute format('create trigger audit_kept before update or delete on %s
                  for each row execute function posthorn.keep_audit()', audit::regclass);
  execute format('create trigger audit_kept_whole before truncate on %s
                  for each statement execute function posthorn.keep_audit()', audit::regclass);
  execute format('revoke update, delete, truncate on %s from public', audit::regclass);
  insert into posthorn.audit_table (name, seq_column, public_columns, personal_columns)
  values (audit, seq_column, public, personal);
end $$;

-- Takes sealed rows away, and leaves a note of it that is sealed itself. Returns how many.
create function posthorn.remove_audit(audit text, seqs bigint[], actor text, reason text)
returns integer language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  kept posthorn.audit_table;
  removed bigint[];
begin
  select * into strict kept from posthorn.audit_table where name = audit;
  perform set_config('posthorn.audit_change', 'DELETE ' || audit, true);
  execute format('with gone as (delete from %s where %I = any($1) and %2$I <= $2 returning %2$I)
                  select coalesce(array_agg(%2$I order by %2$I), ''{}'') from gone',
                 audit::regclass, kept.seq_column)
     into removed using seqs, kept.sealed_to;
  perform set_config('posthorn.audit_change', '', true);
  if cardinality(removed) > 0 then
    insert into posthorn.audit_removal (audit, seqs, actor, reason)
    values (audit, removed, actor, reason);
    insert into posthorn.operation (operation, subject, actor, reason)
    values ('remove-audit', format('%s: %s rows, %s to %s', audit, cardinality(removed),
                                   removed[1], removed[cardinality(removed)]), actor, reason);
  end if;
  return cardinality(removed);
end $$;

-- Erases the personal columns of rows: their digest stays, so that the seals still hold.
create function posthorn.erase_audit(audit text, seqs bigint[], actor text, reason text)
returns integer language plpgsql security definer set search_path = pg_catalog, pg_temp
set timezone = 'UTC' as $$
declare
  kept posthorn.audit_table;
  erased integer;
begin
  select * into strict kept from posthorn.audit_table where name = audit;
  perform set_config('posthorn.audit_change', 'UPDATE ' || audit, true);
  execute format('update %s as t set erased_digest = %s, audit_salt = null, %s
                   where t.%I = any($1) and t.erased_digest is null',
    audit::regclass,
    posthorn.audit_digest_sql(kept.personal_columns),
    (select string_agg(format('%I = %s', c.name,
              case a.atttypid when 'jsonb'::regtype then $q$'{}'$q$ else $q$'erased'$q$ end), ', ')
       from unnest(kept.personal_columns) as c (name)
       join pg_attribute as a on a.attrelid = audit::regclass and a.attname = c.name),
    kept.seq_column)
  using seqs;
  get diagnostics erased = row_count;
  perform set_config('posthorn.audit_change', '', true);
  if erased > 0 then
    insert into posthorn.operation (operation, subject, actor, reason)
    values ('erase-audit', format('%s: %s rows', audit, erased), actor, reason);
  end if;
  return erased;
end $$;

revoke execute on function
  posthorn.remove_audit(text, bigint[], text, text),
  posthorn.erase_audit(text, bigint[], text, text) from public;

-- What operators did is an audit too.
select posthorn.register_audit('posthorn.operation', 'id',
  array['operation', 'outbox', 'subject', 'tenant', 'at'], array['actor', 'reason']);
