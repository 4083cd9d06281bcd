import { PosthornError, sqlState } from '@posthorn/engine'

/** What Postgres says instead of an answer when it goes away or cannot tell. */
const UNSURE = /^(08|57P|40003)/

/** Postgres's own codes begin so; the codes of a broken socket do not. */
const SQLSTATE_CLASS = /^(\d|P0|XX)/

/**
 * Whether an error of a COMMIT means that nothing was stored. A lost connection does not: the commit
 * may have happened, with its answer under way.
 */
export function isRolledBack(error: unknown): boolean {
  if (error instanceof PosthornError) return true
  const state = sqlState(error)
  return state !== undefined && SQLSTATE_CLASS.test(state) && !UNSURE.test(state)
}
