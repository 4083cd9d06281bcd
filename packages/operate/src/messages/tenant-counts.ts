import type { Pool } from 'pg'
import { run, withoutPreparing, inSql } from '@posthorn/engine/internal'
import { transaction, DefinitionError, SQLSTATE, sqlState, type Outbox } from '@posthorn/engine'
import { limitSearch, MOST_OF_TENANT, countTenant, type TenantCountRow } from './messages.sql.ts'

/** How the messages of one tenant are doing in an outbox. */
export interface TenantCounts {
  /** States without a message are left out. */
  readonly counts: Readonly<Record<string, number>>
  /**
   * There are more than 10,000, of which these are a part; or counting took longer than half a
   * second, and `counts` is empty.
   */
  readonly approximate: boolean
  readonly due: number
  readonly retrying: number
  readonly scheduled: number
  readonly oldestDueSeconds: number
  readonly oldestUndeliveredSeconds: number
  /** Since when the oldest dead one is there; undefined if none is dead. */
  readonly deadSince: Date | undefined
}

/** Counts the messages of one tenant, within half a second. */
export async function countTenantMessages<Row>(
  pool: Pool,
  outbox: Outbox<Row>,
  tenant: string,
): Promise<TenantCounts> {
  const box = outbox as unknown as Outbox
  if (box.columns.tenant === undefined) {
    throw new DefinitionError(box.name, 'columns.tenant', 'is needed to count by tenant')
  }
  try {
    const rows = await transaction(pool, async (tx) => {
      await tx.query(limitSearch)
      return run<TenantCountRow>(withoutPreparing(tx), countTenant(inSql(box)), { tenant })
    })
    return {
      counts: Object.fromEntries(rows.map(({ state, n }) => [state, n])),
      approximate: rows.reduce((sum, { n }) => sum + n, 0) > MOST_OF_TENANT,
      due: rows.reduce((sum, { due }) => sum + due, 0),
      retrying: rows.reduce((sum, { retrying }) => sum + retrying, 0),
      scheduled: rows.reduce((sum, { scheduled }) => sum + scheduled, 0),
      oldestDueSeconds: Math.max(0, ...rows.map((row) => row.oldest_due)),
      oldestUndeliveredSeconds: Math.max(
        0,
        ...rows.map((row) => row.oldest ?? (box.columns.createdAt ? 0 : row.oldest_due)),
      ),
      deadSince: rows.find((row) => row.dead_since !== null)?.dead_since ?? undefined,
    }
  } catch (error) {
    if (sqlState(error) !== SQLSTATE.queryCanceled) throw error
    return { counts: {}, approximate: true, ...UNCOUNTED }
  }
}

const UNCOUNTED = {
  due: 0,
  retrying: 0,
  scheduled: 0,
  oldestDueSeconds: 0,
  oldestUndeliveredSeconds: 0,
  deadSince: undefined,
}
