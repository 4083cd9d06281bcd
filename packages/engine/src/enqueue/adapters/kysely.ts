import { randomUUID } from 'node:crypto'
import { PosthornError, sqlState } from '../../errors.ts'
import type { Statement } from '../../database/sql-tag.ts'
import { borrowTransaction, type Transaction } from '../../database/transaction.ts'
import { beginsTransaction, endsTransaction } from '../../database/ending-text.ts'
import { createEndWatch, type EndWatch } from './end-watch.ts'
import { proveTransaction } from './queries.ts'

/** What is used of a Kysely `Transaction`, by shape. */
export interface KyselyTransaction {
  readonly isTransaction?: boolean
  getExecutor(): KyselyExecutor
}

interface KyselyExecutor {
  provideConnection<Result>(
    consumer: (connection: KyselyConnection) => Promise<Result>,
  ): Promise<Result>
}

interface KyselyConnection {
  executeQuery(query: ReturnType<typeof compileStatement>): Promise<{ rows: unknown[] }>
}

/** The transaction that each connection is in, or was in last; undefined where none was heard of. */
const heard = new WeakMap<KyselyConnection, { current: EndWatch | undefined }>()

const NO_ACTIVE_TRANSACTION = '25P01'

/**
 * A transaction handle for the `trx` of `db.transaction().execute` or `db.startTransaction()`;
 * refuses `db` itself and a transaction that is over with `NOT_IN_TRANSACTION`. Plugins do not touch
 * its statements. Relays of this process are woken at the very commit.
 */
export function fromKysely(trx: KyselyTransaction): Transaction {
  return joinKysely(trx, (statement) => statement)
}

/** The same, with a change to each statement before it is sent. */
export function joinKysely(
  trx: KyselyTransaction,
  change: (statement: Statement) => Statement,
): Transaction {
  if (!trx.isTransaction) throw notInTransaction()
  let end: EndWatch | undefined
  return borrowTransaction({
    query: <Row>(statement: Statement) =>
      onConnection(trx, async (connection) => {
        end ??= await endOf(connection)
        if (end.isRequested()) throw notInTransaction()
        return (await connection.executeQuery(compileStatement(change(statement)))) as {
          rows: Row[]
        }
      }),
    onEnd(ended) {
      const found = onConnection(trx, async (connection) => (end ??= await endOf(connection)))
      void found.then((watch) => watch.onEnd(ended), ended)
    },
  })
}

/** Kysely gives no connection for a transaction whose end it knows of. */
async function onConnection<Result>(
  trx: KyselyTransaction,
  work: (connection: KyselyConnection) => Promise<Result>,
): Promise<Result> {
  let given = false
  try {
    return await trx.getExecutor().provideConnection((connection) => {
      given = true
      return work(connection)
    })
  } catch (error) {
    throw given ? error : notInTransaction(error)
  }
}

/** The end of the transaction that a connection is in. */
async function endOf(connection: KyselyConnection): Promise<EndWatch> {
  const known = heard.get(connection) ?? listenTo(connection)
  if (!known.current) {
    // The first time it is unknown what was sent before: only Postgres can say.
    await prove(connection)
    known.current ??= createEndWatch()
  }
  return known.current
}

/** Observes from now on what the connection sends, through Kysely's own log. */
function listenTo(connection: KyselyConnection): { current: EndWatch | undefined } {
  const known: { current: EndWatch | undefined } = { current: undefined }
  heard.set(connection, known)
  const execute = connection.executeQuery
  connection.executeQuery = (query, ...rest) => {
    const answer = execute.call(connection, query, ...rest)
    if (beginsTransaction(query.sql)) known.current = createEndWatch()
    // oxlint-disable-next-line typescript/no-unnecessary-type-conversion -- MikroORM passes an object
    else if (endsTransaction(String(query.sql))) (known.current ??= createEndWatch()).tell(answer)
    return answer
  }
  return known
}

async function prove(connection: KyselyConnection): Promise<void> {
  try {
    for (const statement of proveTransaction)
      await connection.executeQuery(compileStatement(statement))
  } catch (error) {
    throw sqlState(error) === NO_ACTIVE_TRANSACTION ? notInTransaction(error) : error
  }
}

/** The same as `CompiledQuery.raw` makes. */
function compileStatement({ text, values }: Statement) {
  return {
    sql: text,
    parameters: values,
    query: { kind: 'RawNode' as const, sqlFragments: [text], parameters: [] },
    queryId: { queryId: randomUUID() },
  }
}

function notInTransaction(cause?: unknown): PosthornError {
  return new PosthornError(
    'NOT_IN_TRANSACTION',
    'fromKysely needs the `trx` of db.transaction().execute or db.startTransaction(), before it is committed or rolled back, and not `db` itself',
    { cause },
  )
}
