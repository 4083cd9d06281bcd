/*
 * The statements that the doctor hands out for people to paste. It runs none of them itself.
 * Names and values come from the server, quoted by it where they may need it.
 */

export const endProcess = (pid: number) => `select pg_terminate_backend(${pid});`
export const findPrepared = 'select gid from pg_prepared_xacts;'
export const rollBackPrepared = (quotedGid: string) => `rollback prepared ${quotedGid};`
export const dropSlot = (quotedName: string) => `select pg_drop_replication_slot(${quotedName});`

/** Takes effect for connections that are made from then on. */
export const setForDatabase = (quotedName: string, setting: string) =>
  `alter database ${quotedName} set ${setting};`
export const setForServer = (setting: string) =>
  `alter system set ${setting}; select pg_reload_conf();`
export const setForNextStart = (setting: string) => `alter system set ${setting}; -- and restart`
export const letSeeOthers = (quotedUser: string) => `grant pg_monitor to ${quotedUser};`

/** In use, a table must not be locked while its index is made. `rest` has columns and condition. */
export const makeIndex = (name: string, table: string, rest: string) =>
  `create index concurrently if not exists ${name} on ${table} ${rest};`
export const dropIndex = (withSchema: string) => `drop index concurrently ${withSchema};`
export const remakeIndex = (withSchema: string) => `reindex index concurrently ${withSchema};`

export const switchVacuumOn = (table: string) => `alter table ${table} reset (autovacuum_enabled);`
export const letVacuumComeEarlier = (table: string) =>
  `alter table ${table} set (autovacuum_vacuum_scale_factor = 0.02);`
export const vacuum = (table: string) => `vacuum (analyze) ${table};`
