import type { Pool, PoolClient, QueryResultRow } from 'pg'
import { LateRings, type Bell, type Buckets } from './bell.ts'
import { Calls } from './calls.ts'
import { endsTransaction } from './ending-text.ts'
import { PosthornError, SQLSTATE, sqlState } from '../errors.ts'
import type { Statement } from './sql-tag.ts'

/** Anything that takes a statement and gives rows: a pool, a client, an ORM's handle. */
export interface Queryable {
  query<Row = Record<string, unknown>>(statement: Statement): Promise<{ rows: Row[] }>
}

declare const inTransaction: unique symbol

/**
 * A handle that is inside a transaction. Only `transaction()` and the adapters make one, so a
 * function that asks for it cannot be called with a bare connection.
 */
export interface Transaction extends Queryable {
  readonly [inTransaction]: true
  query<Row = Record<string, unknown>>(statement: Statement): Promise<{ rows: Row[] }>
  /** As `pg` has it: `query('… where id = $1', [7])`. */
  query<Row = Record<string, unknown>>(
    text: string,
    values?: readonly unknown[],
  ): Promise<{ rows: Row[] }>
  /** Rings the bell when the transaction ends, as early as this handle can know; for these buckets alone. */
  ringLater(bell: Bell, buckets?: Buckets): void
  /** Makes a call of several statements: the work that has this handle cannot end between two of them. */
  asOne?<Result>(call: () => Promise<Result>): Promise<Result>
}

/** What an adapter knows about its library. */
export interface TransactionSource {
  query<Row>(statement: Statement): Promise<{ rows: Row[] }>
  /** Called once with what to do when the transaction has ended; left out where the library does not report it. */
  onEnd?(ended: () => void): void
}

function statementOf(statement: Statement | string, values: readonly unknown[] = []): Statement {
  return typeof statement === 'string' ? { text: statement, values: [...values] } : statement
}

/**
 * Makes a transaction handle out of a library's own. Adapters call it after they have made sure
 * that the handle is in a transaction.
 */
export function borrowTransaction(source: TransactionSource): Transaction {
  const rings = new LateRings()
  const tx = {
    query: <Row>(statement: Statement | string, values?: readonly unknown[]) =>
      source.query<Row>(statementOf(statement, values)),
    ringLater(bell: Bell, buckets?: Buckets) {
      // Where the end cannot be seen, the relay polls for a while.
      if (!source.onEnd) return bell.arm()
      if (rings.isEmpty) source.onEnd(() => rings.ring())
      rings.add(bell, buckets)
    },
  }
  return tx as unknown as Transaction
}

/**
 * Runs `work` with a handle that ends with it: a later call is refused with `NOT_IN_TRANSACTION`, also
 * while the transaction goes on. Work that ends with calls in flight fails with `CALL_NOT_AWAITED`.
 */
export async function lendTransaction<Result>(
  tx: Transaction,
  work: (lent: Transaction) => Promise<Result>,
): Promise<Result> {
  const calls = new Calls()
  const lent = {
    query: (statement: Statement | string, values?: readonly unknown[]) => {
      const asked = statementOf(statement, values)
      if (endsTransaction(asked.text)) return Promise.reject(new PosthornError('TRANSACTION_ENDED'))
      // What is left of the call would be stored although the savepoint around it is taken back.
      if (calls.isAmidst && endsSavepoint(asked.text)) {
        return Promise.reject(new PosthornError('CALL_NOT_AWAITED'))
      }
      return calls.run(() => tx.query(asked))
    },
    asOne: <One>(call: () => Promise<One>) => calls.runAll(call),
  }
  return calls.during(() => work(Object.assign(Object.create(tx) as Transaction, lent)))
}

function endsSavepoint(text: string): boolean {
  return /^\s*(rollback|release)\b/i.test(text)
}

/**
 * Runs `work` in a transaction: commits when it resolves, rolls back when it throws, and wakes the
 * relays of what was enqueued once the commit is through. Work that resolves with calls on its `tx` in
 * flight is rolled back: what became of them nobody would know.
 */
export async function transaction<Result>(
  pool: Pool,
  work: (tx: Transaction) => Promise<Result>,
): Promise<Result> {
  const client = await checkOut(pool)
  let onCommit: () => void = () => undefined
  const death: Death = { error: undefined }
  const tx = borrowTransaction({
    query: <Row>(statement: Statement) =>
      hasEnded(client)
        ? Promise.reject(new PosthornError('TRANSACTION_ENDED'))
        : explainDeath(client.query<Row & QueryResultRow>(statement), death),
    onEnd: (ended) => void (onCommit = ended),
  })
  const result = await commitAround({ client, death }, () => lendTransaction(tx, work))
  onCommit()
  return result
}

/** Hears a connection's errors for as long as it lives; unheard, its death would end the process. */
const hearDeath = () => undefined

/**
 * A connection whose death is heard from its first moment. The bytes that complete it may also say
 * that the server is going: a promise would hand it on too late, and the process would end.
 */
export function checkOut(pool: Pool): Promise<PoolClient> {
  return new Promise((resolve, reject) => {
    const take = (client: PoolClient) => {
      if (!client.listeners('error').includes(hearDeath)) client.on('error', hearDeath)
      resolve(client)
    }
    const connecting: unknown = pool.connect((error, client) => {
      if (client) take(client)
      else reject(error ?? new Error('the pool gave no connection'))
    })
    // A pool that was wrapped may know promises only.
    if (connecting instanceof Promise) connecting.then(take, reject)
  })
}

/** Whether Postgres says that the client is in no transaction any more. Older copies of pg cannot tell. */
function hasEnded(client: PoolClient): boolean {
  const { getTransactionStatus } = client as { getTransactionStatus?: () => string | null }
  return getTransactionStatus?.call(client) === 'I'
}

/** What a connection said first when it died. */
interface Death {
  error: Error | undefined
}

/**
 * Postgres ends the connection of work that leaves its transaction open for too long. What it says then
 * comes before the next statement, which learns only that there is no connection: no outage, but the
 * work's own failure.
 */
function explain(error: unknown, { error: first }: Death): unknown {
  const state = sqlState(first)
  const isOwn = state === SQLSTATE.idleInTransaction || state === SQLSTATE.transactionTimeout
  return isOwn ? first : error
}

function explainDeath<Answer>(answer: Promise<Answer>, death: Death): Promise<Answer> {
  // A stream of COPY is no promise.
  if (typeof (answer as Partial<typeof answer>).catch !== 'function') return answer
  return answer.catch((error: unknown) => {
    throw explain(error, death)
  })
}

async function commitAround<Result>(
  { client, death }: { client: PoolClient; death: Death },
  work: () => Promise<Result>,
): Promise<Result> {
  // An idle client emits its connection's death; unheard, that would end the process.
  const onError = (error: Error) => void (death.error ??= error)
  client.on('error', onError)
  try {
    await client.query('begin')
    const result = await work()
    // By a text of several statements; one alone is refused before it is sent.
    if (hasEnded(client)) throw new PosthornError('TRANSACTION_ENDED')
    const { command } = await client.query('commit')
    // Postgres answers COMMIT of a failed transaction with ROLLBACK and no error.
    if (command === 'ROLLBACK') {
      throw new PosthornError(
        'NOT_IN_TRANSACTION',
        'The transaction had failed before its commit: nothing was stored.',
      )
    }
    return result
  } catch (error) {
    await client.query('rollback').catch((cause: Error) => void (death.error ??= cause))
    throw explain(error, death)
  } finally {
    client.off('error', onError)
    // A connection whose rollback failed is in no known state: the pool must not hand it out again.
    client.release(death.error)
  }
}
