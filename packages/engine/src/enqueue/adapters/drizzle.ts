import { PosthornError } from '../../errors.ts'
import type { Transaction } from '../../database/transaction.ts'
import { fromPg, type PgClient } from './pg.ts'
import { fromPostgres, type PostgresTransaction } from './postgres.ts'

/** What is used of a Drizzle `PgTransaction`, by shape. */
export interface DrizzleTransaction {
  readonly _: { readonly session: object }
  /** Only a transaction has it. */
  readonly rollback?: unknown
}

/** What is used of the type of a Drizzle table. */
interface DrizzleTable {
  readonly $inferSelect: object
  readonly $inferInsert: object
  readonly _: { readonly columns: object }
}

type ColumnName<Table extends DrizzleTable, Property> = Property extends keyof Table['_']['columns']
  ? Table['_']['columns'][Property] extends { readonly _: { readonly name: infer Name } }
    ? Name & string
    : never
  : never

/**
 * A row of a Drizzle table with the names of its columns, which the engine reads, in place of its properties:
 * `defineOutbox<DrizzleRow<typeof outboxEvents>, DrizzleInsert<typeof outboxEvents>>`. Names that `casing` makes
 * are not in Drizzle's types; there they must be written out.
 */
export type DrizzleRow<Table extends DrizzleTable> = {
  [
    Property in keyof Table['$inferSelect'] as ColumnName<Table, Property>
  ]: Table['$inferSelect'][Property]
}

/** The same for what an insert must give and what it may. */
export type DrizzleInsert<Table extends DrizzleTable> = {
  [
    Property in keyof Table['$inferInsert'] as ColumnName<Table, Property>
  ]: Table['$inferInsert'][Property]
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
