import type { Transaction } from '../../database/transaction.ts'
import { fromLender } from './borrowed-client.ts'
import type { PgClient } from './pg.ts'

/** What is used of a Knex transaction, by shape. */
export interface KnexTransaction {
  readonly isTransaction?: boolean
  isCompleted?(): boolean
  readonly client: { acquireConnection(): Promise<unknown> }
}

/**
 * A transaction handle for the `trx` of `knex.transaction`, also of a nested one; refuses `knex`
 * itself and a transaction that is over with `NOT_IN_TRANSACTION`. Relays of this process are woken
 * at the very commit.
 */
export function fromKnex(trx: KnexTransaction): Transaction {
  return fromLender({
    isOpen: () => trx.isTransaction === true && trx.isCompleted?.() === false,
    client: async () => (await trx.client.acquireConnection()) as PgClient,
    advice:
      'fromKnex needs the `trx` of knex.transaction, before it is committed or rolled back, and not `knex` itself',
  })
}
