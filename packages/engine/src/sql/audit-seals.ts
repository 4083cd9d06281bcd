import { sql, type Statement } from '../enqueue/sql-tag.ts'

export interface AuditTableRow {
  readonly name: string
  readonly seq_column: string
  readonly public_columns: string[]
  readonly personal_columns: string[]
  readonly sealed_to: string
}

export interface SealRow {
  readonly id: string
  readonly audit: string
  readonly after_seq: string
  readonly upto_seq: string
  readonly public_columns: string[]
  readonly personal_columns: string[]
  readonly seqs: string[]
  readonly hashes: Buffer
  readonly previous: Buffer
  readonly hash: Buffer
  readonly sealed_at: Date
}

export interface HashedRow {
  readonly seq: string
  readonly hash: Buffer
}

const TABLE = sql`name, seq_column, public_columns, personal_columns, sealed_to::text`

const SEAL = sql`id::text, audit, after_seq::text, upto_seq::text, public_columns, personal_columns,
  seqs::text[], hashes, previous, hash, sealed_at`

export const selectAuditTables: Statement = sql`
  select ${TABLE} from posthorn.audit_table order by name`

/** Locked until its batch is in. One process seals at a time: the chain has one end. */
export function lockAuditTable(name: string): Statement {
  return sql`
    select ${TABLE}
      from posthorn.audit_table
     where name = ${name} and pg_try_advisory_xact_lock(hashtext('posthorn.audit_seal'))
       for update`
}

/** The last row that is to be seen, whose number may be above those of open transactions. */
export function selectLastRow({ name, seq_column: column }: AuditTableRow): Statement {
  return sql`select max(${sql.id(column)})::text as last from ${sql.id(name)}`
}

/**
 * Transactions that may have rows which are not visible yet: a writer holds this lock from before it
 * takes a number until after its row can be seen.
 */
export function selectAuditWriters(name: string): Statement {
  return sql`
    select distinct virtualtransaction as writer
      from pg_locks
     where locktype = 'relation' and mode = 'RowExclusiveLock'
       and database = (select oid from pg_database where datname = current_database())
       and relation = ${name}::regclass`
}

export function selectHashes(
  table: Omit<AuditTableRow, 'sealed_to'>,
  range: { after: string; upto: string; most: number },
): Statement {
  return sql`
    select seq::text, hash
      from posthorn.audit_hashes(
             ${table.name}, ${table.seq_column}, ${table.public_columns}, ${table.personal_columns},
             ${range.after}::bigint, ${range.upto}::bigint, ${range.most})`
}

export const selectLastSeal: Statement = sql`
  select id::text, hash from posthorn.audit_seal order by audit_seal.id desc limit 1`

export function insertSeal(seal: Omit<SealRow, 'sealed_at'>): Statement {
  return sql`
    insert into posthorn.audit_seal
           (id, audit, after_seq, upto_seq, public_columns, personal_columns, seqs, hashes, previous, hash)
    values (${seal.id}::bigint, ${seal.audit}, ${seal.after_seq}::bigint, ${seal.upto_seq}::bigint,
            ${seal.public_columns}, ${seal.personal_columns}, ${seal.seqs}::bigint[], ${seal.hashes},
            ${seal.previous}, ${seal.hash})`
}

export function updateSealedTo(name: string, seq: string): Statement {
  return sql`update posthorn.audit_table set sealed_to = ${seq}::bigint where name = ${name}`
}

export function selectSeals(after: string, limit: number): Statement {
  return sql`
    select ${SEAL}
      from posthorn.audit_seal
     where id > ${after}::bigint
     order by audit_seal.id
     limit ${limit}`
}

export function selectRemovedSeqs(name: string): Statement {
  return sql`
    select distinct unnest(seqs)::text as seq from posthorn.audit_removal where audit = ${name}`
}

/** One view of everything, however long it is looked at. */
export const beginLooking: Statement = sql`set transaction isolation level repeatable read, read only`
