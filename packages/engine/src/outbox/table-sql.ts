import type { Outbox } from './define.ts'
import { engineTableSql } from '../sql/table.ts'
import { inSql } from './sql-names.ts'

/**
 * The SQL that makes a table fit its definition: the engine's columns and the indexes of its
 * claims. Put it into the migration that makes the table.
 */
export function outboxTableSql<Row>(outbox: Outbox<Row>): string {
  return engineTableSql(inSql(outbox))
}
