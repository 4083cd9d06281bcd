import { sql, type Queryable } from '@posthorn/engine'
import type { StatementBalance } from '../formats/findings.ts'

export interface StatementPage {
  readonly runId: string
  readonly after: readonly [number: number, currency: string]
  readonly limit: number
}

/** In the order of the file. */
export async function selectStatements(
  db: Queryable,
  { runId, after: [number, currency], limit }: StatementPage,
): Promise<StatementBalance[]> {
  const { rows } = await db.query<StatementBalance>(sql`
    select number, currency, statement_id as "statementId", account, first_line as "firstLine",
           last_line as "lastLine", entries, booked, opening, closing
      from payments.reconciliation_statements
     where run_id = ${runId} and (number, currency) > (${number}, ${currency})
     order by number, currency
     limit ${limit}`)
  return rows
}
