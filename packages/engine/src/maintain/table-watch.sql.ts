import { sql, type Statement } from '../database/sql-tag.ts'

export interface TableMark {
  readonly outbox: string
  /** Which table stands behind the name. */
  readonly id: string | null
  /** Changes with the definition of its tables, their rights, and those of the engine's own. */
  readonly mark: string
}

/** All tables of a process, in one look into the catalog. */
export function selectMarks(tables: readonly { outbox: string; table: string }[]): Statement {
  const outboxes = tables.map(({ outbox }) => outbox)
  const names = tables.map(({ table }) => table)
  return sql`
    with shared as (
      select concat_ws(' ',
               (select string_agg(xmin::text, ',' order by oid) from pg_class
                 where relnamespace = 'posthorn'::regnamespace),
               (select string_agg(xmin::text, ',' order by roleid, member) from pg_auth_members),
               current_user, current_setting('is_superuser')) as marks
    ),
    own as (
      select outbox, place, to_regclass(name)::oid as id
        from unnest(${outboxes}::text[], ${names}::text[]) with ordinality as t (outbox, name, place)
    )
    select outbox, (array_agg(id::bigint::text order by place))[1] as id,
           md5(min(shared.marks) || string_agg(concat_ws(' ', id,
             (select c.xmin::text || ' ' || n.xmin from pg_class as c
                join pg_namespace as n on n.oid = c.relnamespace where c.oid = id),
             (select string_agg(xmin::text, ',' order by attnum) from pg_attribute where attrelid = id),
             (select string_agg(xmin::text, ',' order by adnum) from pg_attrdef where adrelid = id),
             (select string_agg(xmin::text, ',' order by indexrelid) from pg_index where indrelid = id),
             (select string_agg(xmin::text, ',' order by oid) from pg_constraint where conrelid = id),
             (select string_agg(xmin::text, ',' order by oid) from pg_trigger where tgrelid = id),
             (select string_agg(xmin::text, ',' order by oid) from pg_policy where polrelid = id)),
             ';' order by place)) as mark
      from own cross join shared
     group by outbox`
}

/** A table that took another's place begins its `seq` anew: it is read from its front. */
export function forgetFloors(outbox: string): Statement {
  return sql`update posthorn.bucket set floor = 0 where outbox = ${outbox} and floor > 0`
}
