import type { Outbox } from '../../outbox/define.ts'
import { inSql, type OutboxRow } from '../../outbox/resolved-definition.ts'
import { limitLockWaits } from '../../database/migrate.sql.ts'
import { run, type PoolHandle } from '../../database/pool-handle.ts'
import type { Transaction } from '../../database/transaction.ts'
import type { Log } from '../../log.ts'
import { hiddenSequence } from '../../outbox/check-table.ts'
import { leaseStatements } from '../settle/bucket.sql.ts'
import { moveStatements, PATIENCE_WITH_WRITERS_MS } from './log-moves.sql.ts'
import { adoptTable, selectSharedColumns } from './table-moves.sql.ts'

/** Moves rows that were read from the log to its exceptions, where they wait behind their key. */
export async function moveAside(
  tx: Transaction,
  outbox: Outbox,
  rows: readonly OutboxRow[],
): Promise<void> {
  if (rows.length === 0) return
  await run(tx, moveStatements(outbox).moveRows, {
    buckets: rows.map((row) => row['bucket']),
    seqs: rows.map((row) => row['seq']),
  })
}

/** Moves messages that still wait in the log, so that an operator can act on them as on any other. */
export async function moveWaiting(
  tx: Transaction,
  outbox: Outbox,
  ids: readonly string[],
): Promise<void> {
  if (outbox.log === undefined || ids.length === 0) return
  await run(tx, { ...leaseStatements(outbox).createBuckets, name: '' }, {})
  await run(tx, { ...moveStatements(outbox).moveByIds, name: '' }, { ids })
}

/** Makes suspects of what was in flight from the log under leases that were lost; returns their keys. */
export async function suspectLogged(
  tx: Transaction,
  outbox: Outbox,
  lost: { buckets: readonly number[]; token: string },
): Promise<{ key: string }[]> {
  return run<{ key: string }>(tx, moveStatements(outbox).suspectLogRun, lost)
}

/** Moves what the outbox's table has to the log's exceptions, before all that the log has. */
export async function moveFromTable(tx: Transaction, outbox: Outbox): Promise<number> {
  const { table, template } = inSql(outbox)
  const { rows } = await tx.query<{ name: string }>(selectSharedColumns(template, table))
  const statement = adoptTable(
    inSql(outbox),
    rows.map(({ name }) => name),
  )
  const [done] = await run<{ moved: number }>(tx, statement, {})
  return done?.moved ?? 0
}

interface Strangers {
  readonly moved: number
  readonly fresh: number
  readonly is_ahead: boolean | null
  readonly restarted: number
  readonly may_read: boolean
  readonly waits_in_table: boolean
}

/**
 * Sees to it that the cursors speak of this cluster's transactions. After a restore elsewhere they do not:
 * then what had not gone by leaves the log, to be delivered from its exceptions.
 */
export async function adoptCluster(handle: PoolHandle, outbox: Outbox, log: Log): Promise<boolean> {
  if (outbox.log === undefined) return false
  const statements = moveStatements(outbox)
  const [found] = await run<Strangers>(handle.db, statements.selectStrangers, {})
  if (!found) return false
  if (!found.may_read) throw hiddenSequence(outbox)
  if (found.waits_in_table) await handle.transaction((tx) => moveFromTable(tx, outbox))
  if (found.restarted > 0 && found.moved === 0) {
    await run(handle.db, statements.restartCursors, {})
    log.warn(
      { outbox: outbox.name },
      'the sequence of the log was restarted; its cursors start again',
    )
    return true
  }
  if (found.moved + found.fresh === 0) return false
  if (found.moved === 0 && !found.is_ahead) {
    await run(handle.db, statements.beginCursors, {})
    return true
  }
  const moved = await handle.transaction(async (tx) => {
    await tx.query(limitLockWaits(PATIENCE_WITH_WRITERS_MS))
    await run(tx, statements.lockLog, {})
    const rows = await run<{ moved: number }>(tx, statements.adoptLog, {})
    return rows[0]?.moved ?? 0
  })
  log.warn(
    { outbox: outbox.name, moved },
    'the log comes from another cluster; its pending messages are delivered by key',
  )
  return true
}
