import { PosthornError } from '../../errors.ts'
import type { Transaction } from '../transaction.ts'
import { fromPg, type PgClient } from './pg.ts'
import { fromPostgres, type PostgresTransaction } from './postgres.ts'

/** What is used of a Drizzle `PgTransaction`, by shape. */
export interface DrizzleTransaction {
  readonly _: { readonly session: object }
  /** Only a transaction has it. */
  readonly rollback?: unknown
}

/** One for each `tx`: its client may be in another transaction when it is given again. */
const handles = new WeakMap<DrizzleTransaction, Transaction>()

/**
 * A transaction handle for the `tx` of `db.transaction`, also of a nested one, on the drivers
 * node-postgres and postgres-js; refuses `db` itself and a transaction that is over with
 * `NOT_IN_TRANSACTION`. Relays of this process are woken at the very commit.
 */
export function fromDrizzle(tx: DrizzleTransaction): Transaction {
  const handle = handles.get(tx) ?? handleOf(tx)
  handles.set(tx, handle)
  return handle
}

function handleOf(tx: DrizzleTransaction): Transaction {
  const { client } = tx._.session as { client?: Partial<PgClient & PostgresTransaction> }
  if (tx.rollback !== undefined && client) {
    if (client.unsafe) return fromPostgres(client as PostgresTransaction)
    if (client.getTransactionStatus) return fromPg(client as PgClient)
  }
  throw new PosthornError(
    'NOT_IN_TRANSACTION',
    'fromDrizzle needs the `tx` that db.transaction gives to its callback, on node-postgres or postgres-js, and not `db` itself',
  )
}
