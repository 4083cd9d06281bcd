import { sql, type Queryable } from '@posthorn/engine'
import { systemProofs, type Counts } from '../kit/stand/system-proof.ts'

export const backupStart = `select pg_backup_start('posthorn', true)`
export const backupStop = 'select labelfile from pg_backup_stop()'
export const restorePoint = 'select pg_walfile_name(pg_create_restore_point($1)) as file'
export const switchWal = 'select pg_switch_wal()'
export const isRecovering = 'select pg_is_in_recovery() as is'

export const repeatableRead = 'begin isolation level repeatable read, read only'
export const exportSnapshot = 'select pg_export_snapshot() as snapshot'

/** Not in a transaction of its own: each number takes a commit. */
export function useUpTransactions(count: number): string {
  return `do $$ begin
    for i in 1..${count} loop perform pg_current_xact_id(); commit; end loop;
  end $$`
}

/** The number of the next transaction; none is used up by asking. */
export async function nextTransaction(db: Queryable): Promise<number> {
  const { rows } = await db.query<{ next: number }>(sql`
    select pg_snapshot_xmax(pg_current_snapshot())::text::float8 as next`)
  return rows[0]?.next ?? 0
}

/** What is in flight, by its kind. */
export interface InFlight {
  readonly ofSystems: Counts
  readonly leases: number
  readonly heldKeys: number
  readonly transitions: number
}

export async function selectInFlight(db: Queryable): Promise<InFlight> {
  const { rows } = await db.query<Omit<InFlight, 'ofSystems'>>(sql`
    select (select count(*)::int from posthorn.bucket
             where session in (select id from posthorn.session where until is not null)) as leases,
           (select count(*)::int from posthorn.held_key) as "heldKeys",
           (select count(*)::int from posthorn.transition) as transitions`)
  const ofSystems: Record<string, number> = {}
  for (const { inFlight } of systemProofs) Object.assign(ofSystems, await inFlight?.(db))
  return { ...(rows[0] as Omit<InFlight, 'ofSystems'>), ofSystems }
}
