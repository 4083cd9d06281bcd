import { sql, type Statement } from '../enqueue/sql-tag.ts'

/** A place in a transaction to come back to. Two of one name nest: the last one is meant. */
export const setSavepoint: Statement = sql`savepoint apart`

export const backToSavepoint: Statement = sql`rollback to savepoint apart`

export const releaseSavepoint: Statement = sql`release savepoint apart`
