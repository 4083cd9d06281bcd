import { sqlState } from '../errors.ts'
import type { Log } from '../log.ts'

const FIRST_PAUSE_MS = 100
const LAST_PAUSE_MS = 5_000

/** Classes and codes of a server that is not there yet, is going, or has no room for one more. */
const AWAY = /^(08...|57P0[123]|53300)$/

/** What Node and pg say of a connection that could not be made or broke. */
const BROKEN =
  /^(ECONN(REFUSED|RESET|ABORTED)|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN|ENOENT)$/
const ENDED = /^(Connection terminated|timeout exceeded when trying to connect)/

/**
 * Runs `work`, and again for as long as the database cannot be reached: a relay that starts while
 * Postgres restarts waits for it, as one that runs does. Undefined when the signal aborts before.
 * Every other error is thrown.
 */
export async function onceReachable<Result>(
  work: () => Promise<Result>,
  { log, signal }: { log: Log; signal: AbortSignal },
): Promise<Result | undefined> {
  for (let pauseMs = FIRST_PAUSE_MS; !signal.aborted; pauseMs = nextPause(pauseMs)) {
    try {
      return await work()
    } catch (error) {
      if (!isAway(error)) throw error
      log.error(
        { err: error, pauseMs },
        'the database cannot be reached; the relay starts when it can',
      )
      await pause(pauseMs, signal)
    }
  }
  return undefined
}

function nextPause(ms: number): number {
  return Math.min(ms * 2, LAST_PAUSE_MS)
}

function isAway(error: unknown): boolean {
  const state = sqlState(error)
  if (state !== undefined) return AWAY.test(state)
  // Several addresses of one name are several errors in one.
  if (error instanceof AggregateError) return error.errors.some(isAway)
  if (!(error instanceof Error)) return false
  return ('code' in error && BROKEN.test(String(error.code))) || ENDED.test(error.message)
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal.addEventListener('abort', end)
  })
}
