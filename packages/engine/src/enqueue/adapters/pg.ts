import { PosthornError } from '../../errors.ts'
import type { Statement } from '../../database/sql-tag.ts'
import { borrowTransaction, type Transaction } from '../../database/transaction.ts'

/** What is used of a `Client` or `PoolClient` of pg, by shape: any copy of the library will do. */
export interface PgClient {
  query(statement: Statement): Promise<{ rows: unknown[] }>
  getTransactionStatus(): string | null
  /** False while an answer is under way. */
  readonly readyForQuery?: boolean
  readonly connection: PgConnection
}

interface PgConnection {
  on(event: 'readyForQuery', listener: (message: { status?: string }) => void): unknown
  on(event: 'end', listener: () => void): unknown
  off(event: 'readyForQuery' | 'end', listener: (message: { status?: string }) => void): unknown
}

/** One handle for each transaction, however often it is asked for: ten would be ten listeners. */
const handles = new WeakMap<PgClient, Transaction>()

/**
 * A transaction handle for a client that is between BEGIN and COMMIT; refuses any other with
 * `NOT_IN_TRANSACTION`, and refuses to go on once the transaction has ended. Relays of this process
 * are woken at the very commit.
 */
export function fromPg(client: PgClient): Transaction {
  const status = client.getTransactionStatus?.()
  if (status !== 'T') throw notInTransaction(status)
  const known = handles.get(client)
  if (known) return known
  const end = watchEnd(client)
  const tx = borrowTransaction({
    async query<Row>(statement: Statement) {
      // pg reports an error a moment before the status that follows from it: after a COMMIT that
      // failed, the client would still seem to be in its transaction. And what is queued behind the
      // answer that is under way may be the COMMIT.
      while (client.readyForQuery === false && !end.reached()) await end.nextStatus()
      // The client may be in another transaction by now: its status alone would not tell.
      if (end.reached()) throw notInTransaction('I')
      return (await client.query(statement)) as { rows: Row[] }
    },
    onEnd: (wake) => (end.reached() ? wake() : void end.callbacks.push(wake)),
  })
  end.callbacks.push(() => handles.delete(client))
  handles.set(client, tx)
  return tx
}

/**
 * Watches for the end of a client's transaction. After each statement Postgres says where the
 * connection stands: I is idle, T in a transaction, E in a failed one. The first I is the commit or
 * the rollback; a savepoint changes nothing. The end of the connection counts too: it may have
 * committed, and a look is cheap.
 */
function watchEnd({ connection }: PgClient) {
  const callbacks: (() => void)[] = []
  let reached = false
  let status = Promise.withResolvers<void>()
  const onReady = (message: { status?: string }) => {
    if (message.status === 'I') finish()
    status.resolve()
    status = Promise.withResolvers()
  }
  const finish = () => {
    reached = true
    connection.off('readyForQuery', onReady)
    connection.off('end', finish)
    status.resolve()
    callbacks.forEach((callback) => callback())
  }
  connection.on('readyForQuery', onReady)
  connection.on('end', finish)
  return { callbacks, reached: () => reached, nextStatus: () => status.promise }
}

function notInTransaction(status: string | null | undefined): PosthornError {
  if (status === undefined) {
    const problem =
      'fromPg needs a client of a current pg 8 (`await pool.connect()`), not the pool itself'
    return new PosthornError('NOT_IN_TRANSACTION', problem)
  }
  const problem =
    status === 'E'
      ? 'the transaction has failed and can only be rolled back'
      : 'the client is not in a transaction: await its BEGIN first, and use the handle before its COMMIT'
  return new PosthornError('NOT_IN_TRANSACTION', problem)
}
