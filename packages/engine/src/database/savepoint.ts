import type { Transaction } from './transaction.ts'
import { sql, type Statement } from './sql-tag.ts'

/** A place in a transaction to come back to. Two of one name nest: the last one is meant. */
const setSavepoint: Statement = sql`savepoint apart`

const backToSavepoint: Statement = sql`rollback to savepoint apart`

const releaseSavepoint: Statement = sql`release savepoint apart`

/** Runs `work` so that its failure leaves the transaction as it was. */
export async function inSavepoint<Result>(
  tx: Transaction,
  work: () => Promise<Result>,
): Promise<Result> {
  await tx.query(setSavepoint)
  try {
    const result = await work()
    await tx.query(releaseSavepoint)
    return result
  } catch (error) {
    await tx.query(backToSavepoint)
    await tx.query(releaseSavepoint)
    throw error
  }
}
