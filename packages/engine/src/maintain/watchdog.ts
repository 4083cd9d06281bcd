import type { Pool } from 'pg'
import { raiseAlert, recoverAlert } from '../outbox/alert.ts'
import { run, withoutPreparing } from '../database/pool-handle.ts'
import { type CheckedDefinition, inSql } from '../outbox/resolved-definition.ts'
import { transaction } from '../database/transaction.ts'
import type { Log } from '../log.ts'
import { limitCounting } from './maintenance.sql.ts'
import {
  noteHeads,
  recoverStuck,
  selectBacklog,
  selectCircumstances,
  selectStalled,
  type Backlog,
  type Circumstances,
} from './watchdog.sql.ts'

/** A head that is the same for so long is not on its way. */
const STALLED_MS = 60_000

/**
 * Raises `OUTBOX_STALLED` where messages are due and none is claimed, whatever the reason, and ends the alert
 * when the outbox moves. It compares what should go next with what should have gone at the look before.
 */
export async function watchOutbox(pool: Pool, outbox: CheckedDefinition, log: Log): Promise<void> {
  const { name } = outbox
  await transaction(pool, async (tx) => {
    for (const statement of limitCounting) await tx.query(statement)
    const db = withoutPreparing(tx)
    const heads = await run<{ seconds: number }>(db, noteHeads(inSql(outbox)), {})
    await run(db, recoverStuck(inSql(outbox)), {})
    const [seen] = await run<Circumstances>(db, selectCircumstances(inSql(outbox)), {})
    const ages = heads.map(({ seconds }) => seconds * 1_000)
    if (!seen || !isStalled(outbox, ages, seen)) {
      await recoverAlert(tx, { source: name, subject: name, code: 'OUTBOX_STALLED' })
      return
    }
    const [stalled] = await run<{ since: Date | null }>(db, selectStalled(inSql(outbox)), {})
    if (stalled?.since) return
    const detail = describeStall(Math.max(...ages), seen)
    await raiseAlert(tx, { source: name, subject: name, code: 'OUTBOX_STALLED', detail })
    log.error(
      { outbox: name, code: 'OUTBOX_STALLED', detail, ...seen },
      'outbox stalled; messages are due and no relay takes them',
    )
  })
}

/** Whether the head of a part is older than anything but a stall explains. `ages` are milliseconds. */
export function isStalled(
  outbox: Pick<CheckedDefinition, 'everyMs' | 'attemptMs' | 'limit' | 'fair' | 'columns'>,
  ages: readonly number[],
  { paused, broken, busy }: Circumstances,
): boolean {
  if (paused || broken || ages.length === 0) return false
  const { everyMs, attemptMs, limit, fair } = outbox
  const quickMs = Math.max(STALLED_MS, 3 * (everyMs ?? 0))
  // A place comes free when a call ends, at the latest; a rate, when its time is over.
  const isBounded = limit !== undefined || fair?.atOnce !== undefined
  // Parts whose head moves: the relays are at work, and come to the others in turn.
  const moves = ages.some((ms) => ms < STALLED_MS)
  const slowMs = quickMs + attemptMs + 3 * (limit?.perMs ?? 0)
  return Math.max(...ages) >= (busy || isBounded || moves ? slowMs : quickMs)
}

function describeStall(ageMs: number, { relays, busy }: Circumstances): string {
  const seconds = Math.round(ageMs / 1_000)
  if (relays === 0) return `A message is due for ${seconds} s, and no relay runs for this outbox.`
  const rest = busy ? 'others are in flight' : 'nothing is in flight'
  return (
    `A message is due for ${seconds} s and none of ${relays} ${relays === 1 ? 'relay' : 'relays'} ` +
    `takes it; ${rest}. Run posthorn doctor, and look for errors in the relay's log.`
  )
}

/** A backlog that is younger is no concern, whatever is usual. */
const YOUNG_SECONDS = 300

/** So many times older than usual is late. */
const LATE_FACTOR = 2

/**
 * Raises `OUTBOX_BEHIND` where what is due is much older than usual, and ends the alert when it is not. Goes by
 * the last two samples: a clock that was moved, or a burst, is over by the second.
 */
export async function watchBacklog(
  pool: Pool,
  { name }: Pick<CheckedDefinition, 'name'>,
  log: Log,
): Promise<void> {
  const cause = { source: name, subject: name, code: 'OUTBOX_BEHIND' }
  const { rows } = await pool.query<Backlog>(selectBacklog(name, YOUNG_SECONDS))
  const [seen] = rows
  if (!seen || seen.seconds === null) return
  if (!isBehind(seen)) {
    if (seen.stands) await transaction(pool, (tx) => recoverAlert(tx, cause))
    return
  }
  if (seen.stands) return
  const usual = seen.usual < 1 ? 'Usually nothing waits.' : `Usual are ${Math.round(seen.usual)} s.`
  const detail = `The oldest message is due for ${Math.round(seen.seconds)} s. ${usual}`
  await transaction(pool, (tx) => raiseAlert(tx, { ...cause, detail }))
  log.error({ outbox: name, code: cause.code, detail }, 'outbox is behind')
}

/** A pause, a destination that is down and a stall explain a backlog, and are told by themselves. */
export function isBehind({ seconds, usual, explained }: Omit<Backlog, 'stands'>): boolean {
  return !explained && (seconds ?? 0) >= Math.max(YOUNG_SECONDS, LATE_FACTOR * usual)
}
