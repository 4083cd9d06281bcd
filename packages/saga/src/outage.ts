import { SQLSTATE, sqlState } from '@posthorn/engine'

/**
 * Whether the database could not do its work, as opposed to saying no: the connection broke (08),
 * a deadlock or conflict (40), no resources (53), it is going down (57). A step cannot help that and
 * is not charged for it. A statement that was cancelled is the step's own: one that always takes
 * longer than `statement_timeout` would be tried for ever.
 */
export function isOutage(error: unknown): error is Error {
  const state = sqlState(error)
  if (!(error instanceof Error)) return false
  if (state === SQLSTATE.queryCanceled) return false
  if (state !== undefined) return /^(08|40|53|57)/.test(state)
  // The driver has no code for a connection that broke; mistakes of the caller have their classes.
  return !(
    error instanceof TypeError ||
    error instanceof RangeError ||
    ('code' in error && !isSocketCode(error.code))
  )
}

/** ECONNREFUSED, EPIPE, ETIMEDOUT … */
function isSocketCode(code: unknown): boolean {
  return typeof code === 'string' && /^E[A-Z]+$/.test(code)
}
