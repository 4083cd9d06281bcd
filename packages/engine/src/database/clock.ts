import type { Pool } from 'pg'
import { toMs, type Duration } from '../duration.ts'
import { PosthornError } from '../errors.ts'
import { notifyWakes } from './wake.sql.ts'
import { advance, makeMovable, selectClock } from './clock.sql.ts'
import { lockMigrations } from './migrate.sql.ts'
import { transaction, type Queryable } from './transaction.ts'

/**
 * Lets the business clock be moved, for development and tests: `posthorn.now()` then adds a stored
 * offset. Leases go on with real time.
 */
export async function useMovableClock(pool: Pool): Promise<void> {
  await transaction(pool, async (tx) => {
    // Two processes that replace one function at once would fail; the migrations' lock will do.
    await tx.query(lockMigrations)
    await tx.query(makeMovable)
  })
}

/**
 * Moves the business clock forward and wakes every relay. Returns the new time. The audit says that
 * `actor` did it; by default the user of the database.
 */
export async function advanceClock(
  pool: Pool,
  by: Duration,
  { actor }: { actor?: string } = {},
): Promise<Date> {
  const { rows } = await pool.query<{ now: Date }>(advance({ ms: toMs(by), by, actor }))
  const moved = rows[0]
  if (!moved) {
    throw new PosthornError(
      'CLOCK_FIXED',
      'The business clock cannot be moved: call useMovableClock first.',
    )
  }
  await pool.query(notifyWakes(['ring *']))
  return moved.now
}

/** What the business clock says. */
export interface ClockState {
  readonly now: Date
  /** How far it was moved ahead of the real one. */
  readonly aheadSeconds: number
  /** False in production. */
  readonly isMovable: boolean
}

export async function readClock(db: Queryable): Promise<ClockState> {
  const { rows } = await db.query<{ now: Date; ahead: number; movable: boolean }>(selectClock)
  const [clock] = rows
  if (!clock) throw new TypeError('the business clock has no row')
  return { now: clock.now, aheadSeconds: clock.ahead, isMovable: clock.movable }
}
