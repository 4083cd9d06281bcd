/*
 * The statements that the doctor hands out for people to paste. It runs none of them itself.
 * Names and values come from the server, quoted by it where they may need it.
 */

export function endProcess(pid: number): string {
  return `select pg_terminate_backend(${pid});`
}

export function findPrepared(): string {
  return 'select gid from pg_prepared_xacts;'
}

/** `gid` is quoted. */
export function rollBackPrepared(gid: string): string {
  return `rollback prepared ${gid};`
}

/** `slot` is quoted. */
export function dropSlot(slot: string): string {
  return `select pg_drop_replication_slot(${slot});`
}

/** Takes effect for connections that are made from then on. `database` is quoted. */
export function setForDatabase(database: string, setting: string): string {
  return `alter database ${database} set ${setting};`
}

export function setForServer(setting: string): string {
  return `alter system set ${setting}; select pg_reload_conf();`
}

export function setForNextStart(setting: string): string {
  return `alter system set ${setting}; -- and restart`
}

/** `user` is quoted. */
export function letSeeOthers(user: string): string {
  return `grant pg_monitor to ${user};`
}

/** In use, a table must not be locked while its index is made. */
export function makeIndex(
  index: { readonly name: string; readonly columns: string; readonly predicate: string },
  table: string,
): string {
  const { name, columns, predicate } = index
  return `create index concurrently if not exists ${name} on ${table} ${columns} where ${predicate};`
}

/** `index` has its schema. */
export function dropIndex(index: string): string {
  return `drop index concurrently ${index};`
}

export function remakeIndex(index: string): string {
  return `reindex index concurrently ${index};`
}

export function switchVacuumOn(table: string): string {
  return `alter table ${table} reset (autovacuum_enabled);`
}

export function letVacuumComeEarlier(table: string): string {
  return `alter table ${table} set (autovacuum_vacuum_scale_factor = 0.02);`
}

export function vacuum(table: string): string {
  return `vacuum (analyze) ${table};`
}
