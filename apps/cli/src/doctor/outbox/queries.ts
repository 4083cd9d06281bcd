import { sql, type Outbox, type Queryable } from '@posthorn/engine'

/** Columns of a table, as SQL text has its name; none where there is no table. */
export async function selectColumns(db: Queryable, table: string): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>(sql`
    select attname as name
      from pg_attribute
     where attrelid = to_regclass(${table}) and attnum > 0 and not attisdropped`)
  return rows.map(({ name }) => name)
}

/** Another storage than the definition's that is noted for its table, and whether relays keep it so. */
export async function selectOtherStorage(
  db: Queryable,
  { name, table, log, order }: Outbox,
): Promise<{ outbox: string; storage: string; relay: string | null } | undefined> {
  const own = log === undefined ? (order ? 'key' : 'row') : 'log'
  const { rows } = await db.query<{ outbox: string; storage: string; relay: string | null }>(sql`
    select o.name as outbox, o.storage, r.relay
      from posthorn.outbox as o
      left join posthorn.relay as r on r.outbox = o.name and r.seen_at > now() - interval '30 s'
     where to_regclass(o.table_name) = to_regclass(${sql.id(table).name}) and o.storage <> ${own}
       and (o.name = ${name} or r.relay is not null)
     order by r.relay nulls last
     limit 1`)
  return rows[0]
}

export interface IndexFacts {
  readonly name: string
  /** With its schema, quoted where it must be. */
  readonly quoted: string
  readonly definition: string
  /** What rows it is for; null if for all. */
  readonly predicate: string | null
  /** False after a CREATE INDEX CONCURRENTLY that failed: it costs and does not help. */
  readonly valid: boolean
}

export async function selectIndexes(db: Queryable, table: string): Promise<IndexFacts[]> {
  const { rows } = await db.query<IndexFacts>(sql`
    select c.relname as name, format('%I.%I', n.nspname, c.relname) as quoted, pg_get_indexdef(i.indexrelid) as definition,
           pg_get_expr(i.indpred, i.indrelid) as predicate, i.indisvalid as valid
      from pg_index as i
      join pg_class as c on c.oid = i.indexrelid
      join pg_namespace as n on n.oid = c.relnamespace
     where i.indrelid = to_regclass(${table})`)
  return rows
}

export interface VacuumFacts {
  readonly live: number
  /** Rows that vacuum has not cleared away yet, as the statistics have it. */
  readonly dead: number
  /** Since the last vacuum, by hand or not; null if there was none. */
  readonly vacuumedSecondsAgo: number | null
  /** Switched off for this table. */
  readonly off: boolean
  /** Which part of the table must be dead before autovacuum comes. */
  readonly scaleFactor: number
}

export async function selectVacuum(db: Queryable, table: string): Promise<VacuumFacts | undefined> {
  const { rows } = await db.query<VacuumFacts>(sql`
    select s.n_live_tup::float8 as live, s.n_dead_tup::float8 as dead,
           extract(epoch from now() - greatest(s.last_vacuum, s.last_autovacuum))::float8
             as "vacuumedSecondsAgo",
           coalesce(bool_or(o.option_value::boolean = false)
             filter (where o.option_name = 'autovacuum_enabled'), false) as off,
           coalesce(max(o.option_value::float8)
             filter (where o.option_name = 'autovacuum_vacuum_scale_factor'),
             current_setting('autovacuum_vacuum_scale_factor')::float8) as "scaleFactor"
      from pg_stat_user_tables as s
      join pg_class as c on c.oid = s.relid
      left join lateral pg_options_to_table(c.reloptions) as o
        on o.option_name in ('autovacuum_enabled', 'autovacuum_vacuum_scale_factor')
     where s.relid = to_regclass(${table})
     group by s.relid, s.n_live_tup, s.n_dead_tup, s.last_vacuum, s.last_autovacuum`)
  return rows[0]
}

export interface StuckFacts {
  readonly count: number
  readonly seconds: number
}

/** Enough to say that there are many. */
const ENOUGH = 1_000

/** Messages whose claim ran out so long ago that a relay should have taken them back. */
export async function selectStuckClaims(
  db: Queryable,
  { table, columns, states }: Outbox,
  afterSeconds: number,
): Promise<StuckFacts> {
  // The states of one partial index, so that finished rows are not read.
  const claimed = states.claimed === undefined ? [states.ready, states.retry] : [states.claimed]
  const { rows } = await db.query<StuckFacts>(sql`
    select count(*)::int as count,
           coalesce(extract(epoch from now() - min(claimed_until)), 0)::float8 as seconds
      from (select claimed_until
              from ${sql.id(table)}
             where ${sql.id(columns.status)} = any(${claimed})
               and claimed_until < now() - ${afterSeconds} * interval '1 s'
             limit ${ENOUGH}) as stuck`)
  return rows[0] ?? { count: 0, seconds: 0 }
}

/** Buckets whose relay is gone for so long that another one should have taken them over. */
export async function selectAbandonedBuckets(
  db: Queryable,
  outbox: string,
  afterSeconds: number,
): Promise<StuckFacts> {
  const { rows } = await db.query<StuckFacts>(sql`
    select count(*)::int as count,
           coalesce(extract(epoch from now() - min(s.seen_at)), 0)::float8 as seconds
      from posthorn.bucket as b
      join posthorn.session as s on s.id = b.session
     where b.outbox = ${outbox}
       and coalesce(s.until, s.seen_at) < now() - ${afterSeconds} * interval '1 s'`)
  return rows[0] ?? { count: 0, seconds: 0 }
}

export interface RelayFacts {
  /** Relays that fell silent within the last hour without taking leave. */
  readonly vanished: number
  /** Claims that were lost within the last hour. */
  readonly lost: number
}

export async function selectRelayFacts(db: Queryable): Promise<RelayFacts> {
  const { rows } = await db.query<RelayFacts>(sql`
    select (select count(distinct relay)::int from posthorn.relay
             where seen_at between now() - interval '1 hour' and now() - interval '15 s') as vanished,
           (select coalesce(sum(lost), 0)::int from posthorn.pulse
             where at > now() - interval '1 hour') as lost`)
  return rows[0] ?? { vanished: 0, lost: 0 }
}
