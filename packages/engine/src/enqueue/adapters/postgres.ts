import { setImmediate } from 'node:timers/promises'
import { types } from 'pg'
import { PosthornError } from '../../errors.ts'
import type { Statement } from '../../database/sql-tag.ts'
import { borrowTransaction, type Transaction } from '../../database/transaction.ts'
import { endsTransaction } from '../../database/ending-text.ts'
import { createEndWatch, type EndWatch } from './end-watch.ts'
import { probe } from './queries.ts'
import { textValue } from './text-value.ts'

/** What is used of the `tx` that `sql.begin` of postgres.js gives to its callback, by shape. */
export interface PostgresTransaction {
  unsafe(text: string, values?: never[], options?: object): PostgresQuery
  typed(value: never, type: number): unknown
  readonly savepoint?: unknown
}

interface PostgresQuery extends PromiseLike<object> {
  raw(): PromiseLike<object>
}

/** A connection of postgres.js, as its own `begin` sees it. */
interface PostgresConnection {
  /** A function of the transaction that holds the connection; null when none does. */
  readonly reserved?: object | null
  execute(query: PromiseLike<unknown> & { strings?: readonly string[] }): unknown
}

type TypeOid = Parameters<typeof types.getTypeParser>[0]

interface PostgresResult extends Array<(Buffer | null)[]> {
  readonly columns?: readonly { name: string; type: TypeOid }[]
}

/** The OID of `unknown`: Postgres finds the parameter's type, and postgres.js leaves its text alone. */
const UNKNOWN = 705

interface Joined {
  readonly end: EndWatch
  isOpen(): boolean
}

/** One for each `tx`, however often it is given: also when its connection belongs to others again. */
const joins = new WeakMap<PostgresTransaction, Promise<Joined>>()
/** The ends of transactions, by what holds their connection. */
const ends = new WeakMap<object, EndWatch>()
const heard = new WeakSet<PostgresConnection>()

/**
 * A transaction handle for the `tx` of `sql.begin`, also of a savepoint; refuses `sql` itself and a
 * transaction that is over with `NOT_IN_TRANSACTION`. Relays of this process are woken at the very
 * commit.
 */
export function fromPostgres(tx: PostgresTransaction): Transaction {
  if (typeof tx.savepoint !== 'function') throw notInTransaction()
  const joined = joins.get(tx) ?? joinOf(tx)
  joins.set(tx, joined)
  // The caller of the query gets the error.
  joined.catch(() => undefined)
  return borrowTransaction({
    async query<Row>({ text, values }: Statement) {
      const { isOpen } = await joined
      // In a turn of the event loop of its own nothing can come between this look and the sending.
      await setImmediate()
      if (!isOpen()) throw notInTransaction()
      const typed = values.map((value) => asText(tx, value)) as never[]
      const result = (await tx.unsafe(text, typed).raw()) as PostgresResult
      return { rows: rowsOf(result) as Row[] }
    },
    onEnd: (ended) => void joined.then(({ end }) => end.onEnd(ended), ended),
  })
}

/**
 * Finds the connection by a statement on it. A COMMIT that was sent before is answered before, and
 * the connection is idle by then; one that is sent later is seen.
 */
async function joinOf(tx: PostgresTransaction): Promise<Joined> {
  const found: PostgresConnection[] = []
  const onexecute = (connection: PostgresConnection) => {
    listenTo(connection)
    return found.push(connection) > 0
  }
  // With a full socket the first is sent without a call back.
  for (let tries = 0; tries < 3 && found.length === 0; tries += 1) {
    const [answer] = (await tx.unsafe(probe.text, [], { onexecute })) as object[]
    if (!answer || !('posthorn_probe' in answer)) {
      const problem = 'this client of postgres.js renames columns (`transform`): use another here'
      throw new PosthornError('DEFINITION_INVALID', problem)
    }
  }
  const connection = found[0]
  const transaction = connection?.reserved
  if (!transaction) throw notInTransaction()
  const end = endOf(transaction)
  return { end, isOpen: () => connection?.reserved === transaction && !end.isRequested() }
}

function endOf(transaction: object): EndWatch {
  const end = ends.get(transaction) ?? createEndWatch()
  ends.set(transaction, end)
  return end
}

/** Observes from now on what the connection sends. */
function listenTo(connection: PostgresConnection): void {
  if (heard.has(connection)) return
  heard.add(connection)
  const execute = connection.execute
  connection.execute = (query) => {
    const { reserved } = connection
    if (reserved && endsTransaction(query.strings?.[0] ?? '')) endOf(reserved).tell(query)
    return execute(query)
  }
}

function asText(tx: PostgresTransaction, value: unknown): unknown {
  const text = textValue(value)
  return text === null ? null : tx.typed(text as never, UNKNOWN)
}

/** Rows as pg would give them, regardless of the parsers of this client of postgres.js. */
function rowsOf(result: PostgresResult): Record<string, unknown>[] {
  const columns = result.columns ?? []
  return result.map((values) =>
    Object.fromEntries(
      columns.map(({ name, type }, i) => {
        const value = values[i]
        return [name, value ? types.getTypeParser(type, 'text')(value.toString()) : null]
      }),
    ),
  )
}

function notInTransaction(): PosthornError {
  return new PosthornError(
    'NOT_IN_TRANSACTION',
    'fromPostgres needs the `tx` that sql.begin gives to its callback, while that runs, and not `sql` itself',
  )
}
