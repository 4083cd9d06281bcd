import { backOff } from '../back-off.ts'
import { SQLSTATE, sqlState } from '../errors.ts'
import type { Log } from '../log.ts'
import { sleep } from '../sleep.ts'

const AGAIN = { firstMs: 100, mostMs: 5_000 }

/** Classes and codes of a server that is not there yet, is going, or has no room for one more. */
const AWAY = /^(08...|57P0[123]|53300)$/

/** What Node and pg say of a connection that could not be made or broke. */
const BROKEN =
  /^(ECONN(REFUSED|RESET|ABORTED)|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN|ENOENT)$/
const ENDED = /^(Connection terminated|timeout exceeded when trying to connect)/

/**
 * Runs `work`, and again for as long as the database cannot be reached: a relay that starts while
 * Postgres restarts waits for it, as one that runs does. Again, too, when relays that start together write
 * the same row and the default isolation makes that an error. Undefined when the signal aborts before.
 * Every other error is thrown.
 */
export async function onceReachable<Result>(
  work: () => Promise<Result>,
  { log, signal }: { log: Log; signal: AbortSignal },
): Promise<Result | undefined> {
  for (let failures = 0; !signal.aborted; failures += 1) {
    const pauseMs = backOff(failures, AGAIN)
    try {
      return await work()
    } catch (error) {
      if (isAway(error)) {
        log.error(
          { err: error, pauseMs },
          'the database cannot be reached; the relay starts when it can',
        )
      } else if (sqlState(error) !== SQLSTATE.serializationFailure) throw error
      await sleep(pauseMs, signal)
    }
  }
  return undefined
}

function isAway(error: unknown): boolean {
  const state = sqlState(error)
  if (state !== undefined) return AWAY.test(state)
  // Several addresses of one name are several errors in one.
  if (error instanceof AggregateError) return error.errors.some(isAway)
  if (!(error instanceof Error)) return false
  return ('code' in error && BROKEN.test(String(error.code))) || ENDED.test(error.message)
}
