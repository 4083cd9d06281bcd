import { DeliveryError, sqlState } from '@posthorn/engine'
import { UnreachableError } from './errors.ts'
import type { Failures } from './failures.ts'

/** Connection exceptions, too few resources, the server going down or starting. */
const AWAY = /^(08|53|57P0)/

/** What Node says of a connection that could not be made or broke. */
const BROKEN = /^(ECONN(REFUSED|RESET|ABORTED)|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$/

/** The driver has no code for these. */
const ENDED = /^(Connection terminated|timeout exceeded when trying to connect)/

/** Data exceptions: an id that is no UUID, a number out of range. The next attempt has the same data. */
const BAD_DATA = /^22/

/**
 * No retry can help: the handler says so, the inbox cannot know any more whether the message was
 * done, or the database does not take what is in it.
 */
export function isFinal(error: unknown): boolean {
  if (error instanceof DeliveryError) return !error.retryable
  return Object(error).code === 'INBOX_EXPIRED' || BAD_DATA.test(sqlState(error) ?? '')
}

/** Whether a connection broke or was not to be had, though the next one may be. */
export function isConnectionLost(error: unknown): boolean {
  const { code, message } = Object(error) as { code?: unknown; message?: unknown }
  return BROKEN.test(String(code)) || ENDED.test(String(message))
}

/**
 * Whether the failure says nothing about the message: the handler names something unreachable, or
 * the consumer's own database is away, whichever error the handler made of that.
 */
export async function isOutage(error: unknown, failures: Failures): Promise<boolean> {
  if (isFinal(error)) return false
  if (error instanceof UnreachableError) return true
  if (error instanceof DeliveryError && error.unreachable) return true
  if (AWAY.test(sqlState(error) ?? '')) return true
  return !(await failures.isReachable())
}
