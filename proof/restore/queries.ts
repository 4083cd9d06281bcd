import { sql, type Queryable } from '@posthorn/engine'

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

/** What is under way, by its kind. */
export interface UnderWay {
  readonly webhooks: number
  readonly messages: number
  readonly sagas: number
  readonly rows: number
  readonly leases: number
  readonly heldKeys: number
  readonly transitions: number
}

export async function selectUnderWay(db: Queryable): Promise<UnderWay> {
  const { rows } = await db.query<UnderWay>(sql`
    select (select count(*)::int from payments.webhook_deliveries
             where status in ('pending', 'failed')) as webhooks,
           (select count(*)::int from messages.outbound_message
             where status in ('QUEUED', 'SENDING', 'SENT')) as messages,
           (select count(*)::int from sagas.saga
             where status in ('RUNNING', 'COMPENSATING')) as sagas,
           (select count(*)::int from evidence.file_outbox_row
             where status not in ('SUCCESS', 'ERROR')) as rows,
           (select count(*)::int from posthorn.bucket where token is not null) as leases,
           (select count(*)::int from posthorn.held_key) as "heldKeys",
           (select count(*)::int from posthorn.transition) as transitions`)
  return rows[0] as UnderWay
}
