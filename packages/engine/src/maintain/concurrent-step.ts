import type { Pool } from 'pg'
import { ownClient } from '../enqueue/own-client.ts'
import type { Transaction } from '../enqueue/transaction.ts'
import { MigrationError } from '../errors.ts'
import {
  allowIdling,
  allowLongStatements,
  dropIndexBeside,
  selectUnfinishedIndex,
} from '../sql/migrate.ts'
import type { Migration } from './migrate.ts'

const MARK = /^\s*--\s*concurrently\b/
const INDEX =
  /^create\s+(?:unique\s+)?index\s+concurrently\s+if\s+not\s+exists\s+(?<name>\w+)\s+on\s+(?<schema>\w+)\./i
const OTHERS = /^(?:drop\s+index\s+concurrently\s+if\s+exists|alter\s+table\s+[\w.]+\s+validate)\s/i

/** Whether its statements run one by one beside writers, outside a transaction. */
export function isConcurrent({ sql }: Migration): boolean {
  return MARK.test(sql)
}

/** The SQL for a transaction, of tables that no process writes to yet. */
export function plainSql({ sql }: Migration): string {
  return MARK.test(sql) ? sql.replaceAll(/\b(?:index)\s+concurrently\b/gi, 'index') : sql
}

/**
 * Runs the statements of a concurrent step on another connection, while `tx` holds the lock that keeps
 * other processes from it. After a crash it begins anew: what is there is passed over, and what is left of
 * an index that was not finished is dropped first.
 */
export async function buildBeside(
  pool: Pool,
  tx: Transaction,
  { set, migration }: { set: string; migration: Migration },
): Promise<void> {
  const step = `${set}/${migration.id}`
  const statements = statementsOf(migration)
  const wrong = statements.find((each) => !INDEX.test(each) && !OTHERS.test(each))
  if (wrong !== undefined) {
    throw new MigrationError(
      'MIGRATION_INVALID',
      `${step} cannot be repeated after a crash: "${wrong.slice(0, 60)}" is neither create nor drop index concurrently, with if (not) exists, nor validate constraint`,
    )
  }
  await tx.query(allowIdling)
  // Not one of the pool: it may have only one, and that is the lock's.
  const client = ownClient(pool)
  client.on('error', () => undefined)
  await client.connect()
  try {
    await client.query(allowLongStatements)
    for (const statement of statements) {
      const { schema = '', name = '' } = INDEX.exec(statement)?.groups ?? {}
      const { rows } = await client.query(selectUnfinishedIndex(schema, name))
      if (rows.length > 0) await client.query(dropIndexBeside(schema, name))
      await client.query(statement)
    }
  } finally {
    await client.end()
  }
}

/** The statements of a concurrent step: none has a body or a string with a semicolon. */
export function statementsOf({ sql }: Migration): string[] {
  return sql
    .replaceAll(/--.*$/gm, '')
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '')
}
