import { sql, type Statement } from '../../database/sql-tag.ts'

/** Asks nothing; a library that renames columns would take the underscore away. */
export const probe: Statement = sql`select 1 as posthorn_probe`

/** Fails with 25P01 outside of a transaction; inside, the two together change nothing. */
export const proveTransaction: readonly Statement[] = [
  sql`savepoint posthorn_probe`,
  sql`release savepoint posthorn_probe`,
]
