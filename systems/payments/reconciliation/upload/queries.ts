import { sql, type Queryable, type Transaction } from '@posthorn/engine'
import { count, first, some } from '@posthorn/system'
import type { CopyStreamQuery } from 'pg-copy-streams'
import { copyInto } from '@posthorn/bulk/copy'
import { identityOf, type ReadStatement } from '../formats/findings.ts'
import type { BalanceCounts } from '../runs/run.ts'
import type { Format } from '../formats/format.ts'
import type { CurrencySum } from './loading.ts'

/** The columns a line of the copy has, tab by tab. */
const COPY_RECORDS = `
  copy payments.reconciliation_records
       (run_id, line_number, occurrence_no, duplicate_of, amount, fee, currency, booked_on,
        external_transaction_id)
  from stdin`

/** A stream into the records; rows are in the table when it has finished. */
export function copyRecords(tx: Transaction): CopyStreamQuery {
  return copyInto(tx, COPY_RECORDS)
}

/** A run as it is first written. */
export interface NewRun {
  readonly id: string
  readonly orgId: string
  readonly userId: string
  readonly filename: string
  readonly hash: Buffer
  readonly bytes: number
  readonly profile: { readonly id: string; readonly version: number } | undefined
  readonly total: number
  readonly duplicates: number
  readonly sums: Readonly<Record<string, CurrencySum>>
  readonly format: Format
  /** Null where the format has no balances. */
  readonly balances: BalanceCounts | null
  readonly statements: readonly ReadStatement[]
  readonly pending: number
}

/** False, and nothing, if a member has uploaded the file before or is about to: it waits to know. */
export const insertRun = (tx: Transaction, run: NewRun) =>
  some(tx)(sql`
    insert into payments.reconciliation_runs
           (id, org_id, user_id, filename, file_hash, file_bytes, profile_id, profile_version,
            total, unmatched, duplicates, sums, format, balances, pending)
    values (${run.id}, ${run.orgId}, ${run.userId}, ${run.filename}, ${run.hash}, ${run.bytes},
            ${run.profile?.id ?? null}, ${run.profile?.version ?? null}, ${run.total}, ${run.total},
            ${run.duplicates}, ${JSON.stringify(run.sums)}::jsonb, ${run.format},
            ${run.balances && JSON.stringify(run.balances)}::jsonb, ${run.pending})
    on conflict (org_id, file_hash) where discarded_at is null do nothing
    returning id`)

/** False if one of them is loaded already or about to be: it waits to know. */
export async function insertStatements(
  tx: Transaction,
  { id, orgId, statements }: Pick<NewRun, 'id' | 'orgId' | 'statements'>,
): Promise<boolean> {
  if (statements.length === 0) return true
  // One that is twice in the file is recognised by the first.
  const seen = new Set<string>()
  const given = statements.map((statement) => {
    const identity = identityOf(statement)?.toString('hex') ?? null
    const isNew = !seen.has(`${identity} ${statement.currency}`)
    seen.add(`${identity} ${statement.currency}`)
    return { ...statement, identity: isNew ? identity : null }
  })
  const stored = await count(tx)(sql`
    insert into payments.reconciliation_statements
           (run_id, number, currency, org_id, statement_id, account, from_day, to_day, sequence,
            identity, first_line, last_line, entries, booked, opening, closing)
    select ${id}::uuid, number, currency, ${orgId}, "statementId", account, "from", "to", sequence,
           decode(identity, 'hex'), "firstLine", "lastLine", entries, booked, opening, closing
      from jsonb_to_recordset(${JSON.stringify(given)}::jsonb)
        as s (number integer, currency text, "statementId" text, account text, "from" date,
              "to" date, sequence integer, identity text, "firstLine" integer, "lastLine" integer,
              entries integer, booked numeric, opening numeric, closing numeric)
     order by identity, currency
    on conflict (org_id, identity, currency) where identity is not null do nothing
    returning number`)
  return stored === statements.length
}

/** A statement of a file that another file has brought already. */
export interface KnownStatement {
  /** The run of that file. */
  readonly id: string
  readonly number: number
  readonly statement_id: string
}

export const findKnownStatement = (db: Queryable, { id, orgId, statements }: NewRun) => {
  const identities = statements.map((each) => identityOf(each)).filter((each) => each !== null)
  return first<KnownStatement>(db)(sql`
    select run_id as id, number, statement_id
      from payments.reconciliation_statements
     where org_id = ${orgId} and identity = any(${identities}::bytea[]) and run_id <> ${id}
     order by run_id, number
     limit 1`)
}

/** What makes a file the same. */
interface FileKey {
  readonly orgId: string
  readonly hash: Buffer
}

export async function findRunOfFile(
  db: Queryable,
  { orgId, hash }: FileKey,
): Promise<string | undefined> {
  const { rows } = await db.query<{ id: string }>(sql`
    select id
      from payments.reconciliation_runs
     where org_id = ${orgId} and file_hash = ${hash}
       and discarded_at is null`)
  return rows[0]?.id
}
