import { checkOut } from '@posthorn/engine/internal'
import { type Queryable, type Statement } from '@posthorn/engine'
import type { Pool, PoolClient, QueryResultRow } from 'pg'
import { TransportError, UnreachableError } from '../errors.ts'
import { within } from '../timing.ts'

/**
 * The pool as a handle that never waits longer than `timeoutMs`, neither for a connection nor for
 * an answer, and that tells the two apart: see `UnreachableError`.
 */
export function boundPool(pool: Pool, timeoutMs: number): Queryable {
  return {
    async query<Row>(statement: Statement) {
      const client = await connect(pool, timeoutMs)
      let broken: Error | undefined
      // A checked-out client emits its connection's death; unheard, that would end the process.
      const onError = (error: Error): void => void (broken = error)
      client.on('error', onError)
      try {
        const { text, values } = statement
        // Known to the driver, not to its types: the time after which it gives up on an answer.
        const limited = { text, values, query_timeout: timeoutMs }
        return await client.query<Row & QueryResultRow>(limited)
      } catch (error) {
        if (!isServerError(error)) {
          broken ??= error instanceof Error ? error : new Error(String(error))
          throw new TransportError('CONNECTION_LOST', broken.message, { cause: error })
        }
        throw error
      } finally {
        client.off('error', onError)
        client.release(broken)
      }
    },
  }
}

/** A connection of the pool, or an `UnreachableError`. */
export async function connect(pool: Pool, timeoutMs: number): Promise<PoolClient> {
  const connecting = checkOut(pool)
  const client = await within(
    connecting.catch((cause: unknown) => {
      throw new UnreachableError(cause instanceof Error ? cause.message : String(cause), { cause })
    }),
    timeoutMs,
    () => undefined,
  )
  if (client) return client
  // It may still come: then it goes back unused.
  connecting.then(
    (late) => late.release(),
    () => undefined,
  )
  throw new UnreachableError(`no connection to the database within ${timeoutMs} ms`)
}

/** Only the server's own errors have a severity; the rest is about the way to it. */
export function isServerError(error: unknown): error is Error & { code: string } {
  return error instanceof Error && 'severity' in error && 'code' in error
}
