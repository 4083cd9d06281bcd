import type { Transaction } from '../../database/transaction.ts'
import { fromLender } from './borrowed-client.ts'
import type { PgClient } from './pg.ts'

/** What is used of TypeORM's `EntityManager`, by shape. */
export interface TypeOrmManager {
  readonly queryRunner?: TypeOrmQueryRunner | undefined
}

interface TypeOrmQueryRunner {
  readonly isTransactionActive: boolean
  readonly isReleased: boolean
  connect(): Promise<unknown>
}

/**
 * A transaction handle for the `manager` of `dataSource.transaction`, or of a query runner whose
 * transaction has been started; refuses `dataSource.manager` and a transaction that is over with
 * `NOT_IN_TRANSACTION`. Relays of this process are woken at the very commit.
 */
export function fromTypeOrm(manager: TypeOrmManager): Transaction {
  const runner = manager.queryRunner
  return fromLender({
    isOpen: () => runner?.isTransactionActive === true && !runner.isReleased,
    // A runner in a transaction has its connection: this gives the one it has.
    client: async () => (await runner?.connect()) as PgClient,
    advice:
      'fromTypeOrm needs the manager that dataSource.transaction gives to its callback, while that runs, and not dataSource.manager',
  })
}
