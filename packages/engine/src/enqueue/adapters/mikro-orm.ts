import { types } from 'pg'
import { PosthornError } from '../../errors.ts'
import type { Statement } from '../../database/sql-tag.ts'
import type { Transaction } from '../../database/transaction.ts'
import { joinKysely, type KyselyTransaction } from './kysely.ts'

/** What is used of MikroORM's `SqlEntityManager` (7 and later, which run on Kysely), by shape. */
export interface MikroOrmManager {
  getTransactionContext(): unknown
}

/**
 * A transaction handle for the `em` of `em.transactional`, or after `em.begin()`; refuses any other
 * with `NOT_IN_TRANSACTION`. It writes at once, while the entities wait for their flush: both commit
 * together. Relays of this process are woken at the very commit.
 */
export function fromMikroOrm(em: MikroOrmManager): Transaction {
  const trx = em.getTransactionContext() as Partial<KyselyTransaction> | undefined
  if (trx?.isTransaction && trx.getExecutor) return joinKysely(trx as KyselyTransaction, readAsPg)
  throw new PosthornError(
    'NOT_IN_TRANSACTION',
    'fromMikroOrm needs the `em` that em.transactional gives to its callback, while that runs, or one after em.begin()',
  )
}

/**
 * MikroORM's connections read times as text. pg takes the parsers of a single statement beside its
 * text, and Kysely hands it over unchanged.
 */
function readAsPg({ text, values }: Statement): Statement {
  const config = { text, types, toString: () => text }
  return { text: config as unknown as string, values }
}
