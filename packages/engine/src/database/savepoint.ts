import type { Transaction } from './transaction.ts'
import { backToSavepoint, releaseSavepoint, setSavepoint } from '../sql/savepoint.ts'

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
