import type { Outbox } from '../../outbox/define.ts'
import { type OutboxRow, inSql } from '../../outbox/resolved-definition.ts'
import { run, type PoolHandle } from '../../database/pool-handle.ts'
import type { Queryable, Transaction } from '../../database/transaction.ts'
import type { Log } from '../../log.ts'
import { hiddenSequence } from '../../outbox/check-table.ts'
import { leaseStatements } from '../settle/bucket.sql.ts'
import {
  adoptLog,
  clusterStatements,
  limitLockWait,
  moveByIds,
  moveRows,
  selectMovedColumns,
  suspectLogRun,
} from './log-moves.sql.ts'

/** Asked each time: a migration may have added a column since, and what it holds must move too. */
async function movedColumns(db: Queryable, outbox: Outbox): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>(selectMovedColumns(inSql(outbox).table))
  return rows.map(({ name }) => name)
}

/** Moves rows that were read from the log into the outbox's table, where they wait behind their key. */
export async function moveToTable(
  tx: Transaction,
  outbox: Outbox,
  rows: readonly OutboxRow[],
): Promise<void> {
  if (rows.length === 0) return
  await run(tx, moveRows(inSql(outbox), await movedColumns(tx, outbox)), {
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
  await run(tx, { ...moveByIds(inSql(outbox), await movedColumns(tx, outbox)), name: '' }, { ids })
}

/** Makes suspects of what was in flight from the log under leases that were lost; returns their keys. */
export async function suspectLogged(
  tx: Transaction,
  outbox: Outbox,
  lost: { buckets: readonly number[]; token: string },
): Promise<{ key: string }[]> {
  return run<{ key: string }>(
    tx,
    suspectLogRun(inSql(outbox), await movedColumns(tx, outbox)),
    lost,
  )
}

interface Strangers {
  readonly moved: number
  readonly fresh: number
  readonly is_ahead: boolean | null
  readonly restarted: number
  readonly may_read: boolean
}

/**
 * Sees to it that the cursors speak of this cluster's transactions. After a restore elsewhere they do not:
 * then what had not gone by leaves the log, to be delivered from the table.
 */
export async function adoptCluster(handle: PoolHandle, outbox: Outbox, log: Log): Promise<boolean> {
  if (outbox.log === undefined) return false
  const statements = clusterStatements(outbox)
  const [found] = await run<Strangers>(handle.db, statements.selectStrangers, {})
  if (!found) return false
  if (!found.may_read) throw hiddenSequence(outbox)
  if (found.restarted > 0 && found.moved === 0) {
    await run(handle.db, statements.restartCursors, {})
    log.warn(
      { outbox: outbox.name },
      'the sequence of the log was restarted; its cursors begin anew',
    )
    return true
  }
  if (found.moved + found.fresh === 0) return false
  if (found.moved === 0 && !found.is_ahead) {
    await run(handle.db, statements.beginCursors, {})
    return true
  }
  const moved = await handle.transaction(async (tx) => {
    await run(tx, limitLockWait(), {})
    await run(tx, statements.lockLog, {})
    const rows = await run<{ moved: number }>(
      tx,
      adoptLog(inSql(outbox), await movedColumns(tx, outbox)),
      {},
    )
    return rows[0]?.moved ?? 0
  })
  log.warn(
    { outbox: outbox.name, moved },
    'the log comes from another cluster; its waiting messages go by key',
  )
  return true
}
