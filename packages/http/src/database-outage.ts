import { SQLSTATE, sqlState } from '@posthorn/engine'

/** Connection exceptions, insufficient resources, and an operator who stops the server. */
const CLASSES = /^(08|53|57P)/

const STATES: ReadonlySet<string> = new Set([
  SQLSTATE.deadlock,
  SQLSTATE.serializationFailure,
  SQLSTATE.lockNotAvailable,
  SQLSTATE.queryCanceled,
  // A replica was promoted or demoted: the next connection finds the right server.
  '25006',
])

const SYSTEM_CODES: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
])

/** pg and its pool give these errors no code, so that their text is all there is to go by. */
const PG_MESSAGES: ReadonlySet<string> = new Set([
  'timeout exceeded when trying to connect',
  'timeout expired',
  'Connection terminated unexpectedly',
  'Connection terminated',
  'Connection terminated due to connection timeout',
  'Query read timeout',
  'Client has encountered a connection error and is not queryable',
  'Client was closed and is not queryable',
])

/** Whether the database could not be asked or could not go on: later the same request may succeed. */
export function isDatabaseOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const state = sqlState(error)
  if (state !== undefined && (CLASSES.test(state) || STATES.has(state))) return true
  if ('code' in error && typeof error.code === 'string' && SYSTEM_CODES.has(error.code)) return true
  return PG_MESSAGES.has(error.message)
}
