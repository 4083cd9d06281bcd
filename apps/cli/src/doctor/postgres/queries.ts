import { sql, type Queryable } from '@posthorn/engine'

export interface ServerFacts {
  readonly version: string
  readonly versionNumber: number
  readonly connections: number
  /** Of all users and databases, this command's own left out. */
  readonly connected: number
  readonly readOnly: boolean
  /** As it stands in SQL. */
  readonly user: string
  /** Whether this user sees what connections of others do. */
  readonly seesOthers: boolean
}

export async function selectServer(db: Queryable): Promise<ServerFacts> {
  const { rows } = await db.query<ServerFacts>(sql`
    select current_setting('server_version') as version,
           current_setting('server_version_num')::int as "versionNumber",
           current_setting('max_connections')::int
             - current_setting('superuser_reserved_connections')::int as connections,
           (select sum(numbackends)::int - 1 from pg_stat_database) as connected,
           pg_is_in_recovery() or current_setting('transaction_read_only')::boolean as "readOnly",
           quote_ident(current_user) as user,
           pg_has_role(current_user, 'pg_read_all_stats', 'usage') as "seesOthers"`)
  const [facts] = rows
  if (!facts) throw new TypeError('the statement returned no row')
  return facts
}

/** Settings as they are for a connection of ours, in their base units; unknown ones are left out. */
export async function selectSettings(
  db: Queryable,
  names: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const { rows } = await db.query<{ name: string; setting: string }>(sql`
    select name, setting from pg_settings where name = any(${names}::text[])`)
  return new Map(rows.map(({ name, setting }) => [name, setting]))
}

/** The database's name as it stands in SQL. */
export async function selectDatabase(db: Queryable): Promise<string> {
  const { rows } = await db.query<{ name: string }>(sql`
    select quote_ident(current_database()) as name`)
  return rows[0]?.name ?? ''
}

/** The server's clock at this moment, in ms. */
export async function selectTime(db: Queryable): Promise<number> {
  const { rows } = await db.query<{ ms: number }>(sql`
    select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms`)
  return rows[0]?.ms ?? Number.NaN
}

export interface OpenTransaction {
  readonly pid: number
  readonly application: string
  readonly state: string
  readonly seconds: number
}

/** Transactions of this database that have been open for so long that vacuum suffers. */
export async function selectLongTransactions(
  db: Queryable,
  seconds: number,
): Promise<OpenTransaction[]> {
  const { rows } = await db.query<OpenTransaction>(sql`
    select pid, application_name as application, coalesce(state, 'unknown') as state,
           extract(epoch from now() - xact_start)::float8 as seconds
      from pg_stat_activity
     where datname = current_database()
       and backend_type = 'client backend'
       and pid <> pg_backend_pid()
       and xact_start < now() - ${seconds} * interval '1 s'
     order by xact_start
     limit 10`)
  return rows
}

export interface PreparedTransaction {
  /** As it stands in SQL. */
  readonly gid: string
  readonly owner: string
  readonly seconds: number
}

/** Prepared transactions that were neither committed nor rolled back. They outlive every connection. */
export async function selectPreparedTransactions(
  db: Queryable,
  seconds: number,
): Promise<PreparedTransaction[]> {
  const { rows } = await db.query<PreparedTransaction>(sql`
    select quote_literal(gid) as gid, owner, extract(epoch from now() - prepared)::float8 as seconds
      from pg_prepared_xacts
     where database = current_database() and prepared < now() - ${seconds} * interval '1 s'
     order by prepared
     limit 10`)
  return rows
}

export interface ReplicationSlot {
  /** As it stands in SQL. */
  readonly name: string
  readonly walBytes: number
  readonly status: string
  /** Whether it also keeps dead rows of tables or of the catalogue. */
  readonly pinsRows: boolean
}

/** Slots without a reader; those of other databases keep log all the same, but are not ours. */
export async function selectIdleSlots(db: Queryable): Promise<ReplicationSlot[]> {
  const { rows } = await db.query<ReplicationSlot>(sql`
    select quote_literal(slot_name) as name, coalesce(wal_status, 'unknown') as status,
           coalesce(pg_wal_lsn_diff(
             case when pg_is_in_recovery() then pg_last_wal_replay_lsn()
                  else pg_current_wal_lsn() end, restart_lsn), 0)::float8 as "walBytes",
           xmin is not null or catalog_xmin is not null as "pinsRows"
      from pg_replication_slots
     where not active and (database is null or database = current_database())
     order by restart_lsn
     limit 10`)
  return rows
}

export interface LockWait {
  readonly pid: number
  readonly application: string
  readonly seconds: number
  /** A row, a table or another kind of lock. */
  readonly target: string
  /** 0: a transaction that was prepared, and that no process has. */
  readonly blocker: number
  readonly blockerApplication: string
  readonly blockerState: string
}

/** Who has waited for a lock for so long, for what, and behind whom; the longest first. */
export async function selectLockWaits(db: Queryable, seconds: number): Promise<LockWait[]> {
  const { rows } = await db.query<LockWait>(sql`
    select w.pid, w.application_name as application,
           extract(epoch from clock_timestamp() - l.waitstart)::float8 as seconds,
           case when l.locktype in ('transactionid', 'tuple') then 'a row'
                else coalesce(l.relation::regclass::text, l.locktype) end as target,
           holder.pid as blocker, coalesce(b.application_name, '') as "blockerApplication",
           coalesce(b.state, 'unknown') as "blockerState"
      from pg_locks as l
      join pg_stat_activity as w on w.pid = l.pid
     cross join lateral unnest(pg_blocking_pids(w.pid)) as holder (pid)
      left join pg_stat_activity as b on b.pid = holder.pid
     where not l.granted
       and w.datname = current_database()
       and l.waitstart < clock_timestamp() - ${seconds} * interval '1 s'
     order by l.waitstart
     limit 10`)
  return rows
}

export interface HeldLock {
  readonly pid: number
  readonly application: string
  readonly state: string
  readonly seconds: number
  readonly table: string
  readonly mode: string
}

/** Locks on tables that keep writers out, held for so long. */
export async function selectHeldLocks(
  db: Queryable,
  tables: readonly string[],
  seconds: number,
): Promise<HeldLock[]> {
  const { rows } = await db.query<HeldLock>(sql`
    select l.pid, a.application_name as application, coalesce(a.state, 'unknown') as state,
           extract(epoch from clock_timestamp() - a.xact_start)::float8 as seconds,
           t.name as table, l.mode
      from unnest(${tables}::text[]) as t (name)
      join pg_locks as l on l.relation = to_regclass(t.name)
      join pg_stat_activity as a on a.pid = l.pid
     where l.granted and l.locktype = 'relation'
       and l.database = (select oid from pg_database where datname = current_database())
       and l.mode in ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')
       and a.xact_start < clock_timestamp() - ${seconds} * interval '1 s'
     order by a.xact_start
     limit 10`)
  return rows
}

/** The doctor's own channel: no relay wakes up for it. */
const CHANNEL = 'posthorn_doctor'

export async function listenForProbe(db: Queryable): Promise<void> {
  await db.query(sql`listen ${sql.id(CHANNEL)}`)
}

export async function notifyProbe(db: Queryable, payload: string): Promise<void> {
  await db.query(sql`select pg_notify(${CHANNEL}, ${payload})`)
}
