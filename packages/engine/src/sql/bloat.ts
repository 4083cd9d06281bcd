import { sql, type Statement } from '../enqueue/sql-tag.ts'

export interface TableRow {
  readonly table: string
  readonly bytes: number
  readonly index_bytes: number
  readonly live_rows: number
  readonly dead_rows: number
  readonly vacuumed_at: Date | null
  readonly analyzed_at: Date | null
}

/** What the statistics know of tables; of a partitioned one, all its partitions together. */
export function selectTables(tables: readonly string[]): Statement {
  return sql`
    select wanted as "table",
           sum(pg_table_size(part.relid))::float8 as bytes,
           sum(pg_indexes_size(part.relid))::float8 as index_bytes,
           coalesce(sum(s.n_live_tup), 0)::float8 as live_rows,
           coalesce(sum(s.n_dead_tup), 0)::float8 as dead_rows,
           max(greatest(s.last_vacuum, s.last_autovacuum)) as vacuumed_at,
           max(greatest(s.last_analyze, s.last_autoanalyze)) as analyzed_at
      from unnest(${tables}::text[]) as wanted
     cross join lateral (
       -- Of a table that has no partitions the tree is empty.
       select to_regclass(wanted)::oid as relid
       union
       select tree.relid::oid from pg_partition_tree(to_regclass(wanted)) as tree
     ) as part
      left join pg_stat_all_tables as s on s.relid = part.relid
     where part.relid is not null
     group by wanted
     order by wanted`
}

export interface HorizonRow {
  readonly holder: 'session' | 'prepared' | 'slot'
  readonly name: string
  readonly transactions: number
  readonly seconds: number | null
}

/** Who keeps vacuum from removing dead rows, the worst first. */
export const selectHorizons: Statement = sql`
  select holder, name, transactions::float8 as transactions, seconds
    from (select 'session' as holder,
                 concat_ws(' ', nullif(application_name, ''), 'pid', pid, state) as name,
                 greatest(age(backend_xmin), age(backend_xid)) as transactions,
                 extract(epoch from now() - xact_start)::float8 as seconds
            from pg_stat_activity
           where datname = current_database() and pid <> pg_backend_pid()
             and (backend_xmin is not null or backend_xid is not null)
          union all
          select 'prepared', gid, age(transaction), extract(epoch from now() - prepared)::float8
            from pg_prepared_xacts
           where database = current_database()
          union all
          select 'slot', slot_name::text, greatest(age(xmin), age(catalog_xmin)), null
            from pg_replication_slots
           where xmin is not null or catalog_xmin is not null) as held
   order by transactions desc nulls last, seconds desc nulls last
   limit 5`
