import type { Pool } from 'pg'
import { transaction } from '../database/transaction.ts'
import type { Log } from '../log.ts'
import { raiseAlert, recoverAlert } from '../outbox/alert.ts'
import type { CheckedDefinition } from '../outbox/resolved-definition.ts'
import { selectDestinations, type DestinationReport } from './destinations.sql.ts'

/** Failed attempts of two minutes, and their part of all, from which on a destination is down. */
const BUSY = { failures: 10, share: 0.5 }

/** Failed attempts of ten minutes, without a single answer, where little is sent. */
const QUIET_FAILURES = 5

/**
 * Raises `DESTINATION_DOWN` where a breaker is open or most attempts fail, and ends the alert when the
 * destination answers again.
 */
export async function watchDestinations(
  pool: Pool,
  outboxes: readonly Pick<CheckedDefinition, 'name'>[],
  log: Log,
): Promise<void> {
  const names = outboxes.map(({ name }) => name)
  const { rows } = await pool.query<DestinationReport>(selectDestinations(names))
  for (const report of rows) {
    const { outbox, destination, stands, heard } = report
    const cause = { source: outbox, subject: destination, code: 'DESTINATION_DOWN' }
    if (isDown(report)) {
      if (stands) continue
      const detail = describe(report)
      await transaction(pool, (tx) => raiseAlert(tx, { ...cause, detail }))
      log.error({ outbox, destination, code: cause.code, detail }, 'destination is down')
    } else if (stands && heard) {
      await transaction(pool, (tx) => recoverAlert(tx, cause))
      log.info({ outbox, destination }, 'destination answers again')
    }
  }
}

/** Whether what relays wrote down is more than retries are for. */
export function isDown(report: DestinationReport): boolean {
  const { answered, unanswered, answered_long, unanswered_long } = report
  // A breaker stays open when nothing is sent any more, as to an endpoint that was removed.
  const isTried = unanswered_long > 0 || (report.stands && report.waits)
  if (report.open_since !== null && isTried) return true
  const isMost = unanswered >= BUSY.share * (answered + unanswered)
  if (unanswered >= BUSY.failures && isMost) return true
  return answered_long === 0 && unanswered_long >= QUIET_FAILURES
}

function describe(report: DestinationReport): string {
  const { destination, open_since: openSince, cause, answered_long, unanswered_long } = report
  if (openSince === null) {
    const all = answered_long + unanswered_long
    return `${destination}: ${unanswered_long} of ${all} attempts failed in the last ten minutes.`
  }
  const last = cause === null ? '' : ` Last failure: ${cause.code}: ${cause.message}`
  return `${destination} is not tried: its circuit breaker is open.${last}`
}
