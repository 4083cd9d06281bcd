import { sql, type Statement } from '@posthorn/engine'

/** A transition or an operation; what the one does not have is null. */
export interface AuditRow {
  readonly id: string
  readonly operation: string | null
  readonly outbox: string | null
  readonly subject: string
  readonly from_state: string | null
  readonly to_state: string | null
  readonly attempt: number | null
  readonly code: string | null
  readonly error: string | null
  readonly actor: string
  readonly reason: string | null
  readonly tenant: string | null
  readonly at: Date
}

/** What a search is narrowed to; null matches all. */
export interface AuditConditions {
  readonly outbox: string | null
  readonly messageId: string | null
  readonly actor: string | null
  readonly code: string | null
  readonly toState: string | null
  readonly since: Date | null
  readonly until: Date | null
  readonly search: string | null
  readonly tenant: string | null
}

/** A piece of the audit: ids from `from` (included) to `to` (not). */
export interface Stretch {
  readonly from: string
  readonly to: string
  readonly limit: number
}

/** Both kinds with the same columns, to be read as one. */
export const TRANSITION_ENTRY: Statement = sql`
  id, null::text as operation, outbox, message_id as subject, from_state, to_state, attempt, code,
  error, actor, reason, tenant, at`

export const OPERATION_ENTRY: Statement = sql`
  id, operation, outbox, subject, null::text, null::text, null::integer, null::text,
  null::text, actor, reason, tenant, at`

export const ENTRY: Statement = sql`
  id::text as id, operation, outbox, subject, from_state, to_state, attempt, code, error, actor,
  reason, tenant, at`

/**
 * What was found in a stretch, newest first. Conditions that are null disappear when the statement
 * is planned, since it is planned with its values: a message's id and a code go by their indexes.
 */
export function selectEntries(
  kinds: { transitions: boolean; operations: boolean },
  c: AuditConditions,
  { from, to, limit }: Stretch,
): Statement {
  return sql`
    select ${ENTRY}
      from (
        (select ${TRANSITION_ENTRY}
           from posthorn.transition
          where ${kinds.transitions}::boolean
            and id >= ${from}::bigint and id < ${to}::bigint
            and (${c.messageId}::text is null or message_id = ${c.messageId})
            and (${c.code}::text is null or code = ${c.code})
            and (${c.outbox}::text is null or outbox = ${c.outbox})
            and (${c.actor}::text is null or actor = ${c.actor})
            and (${c.toState}::text is null or to_state = ${c.toState})
            and (${c.tenant}::text is null or tenant = ${c.tenant})
            and (${c.since}::timestamptz is null or at >= ${c.since})
            and (${c.until}::timestamptz is null or at < ${c.until})
            and (${c.search}::text is null or strpos(
                  lower(concat_ws(' ', message_id, code, error, actor, reason)), lower(${c.search})) > 0)
          order by transition.id desc
          limit ${limit})
        union all
        (select ${OPERATION_ENTRY}
           from posthorn.operation
          where ${kinds.operations}::boolean
            and id >= ${from}::bigint and id < ${to}::bigint
            and (${c.outbox}::text is null or outbox = ${c.outbox})
            and (${c.actor}::text is null or actor = ${c.actor})
            and (${c.tenant}::text is null or tenant = ${c.tenant})
            and (${c.since}::timestamptz is null or at >= ${c.since})
            and (${c.until}::timestamptz is null or at < ${c.until})
            and (${c.search}::text is null or strpos(
                  lower(concat_ws(' ', operation, subject, actor, reason)), lower(${c.search})) > 0)
          order by operation.id desc
          limit ${limit})
      ) as entry
     order by entry.id desc
     limit ${limit}`
}

/** The first id of all and the one after the last; null while there is none. */
export const selectEdges: Statement = sql`
  select least((select min(id) from posthorn.transition), (select min(id) from posthorn.operation))::text
           as low,
         greatest((select max(id) from posthorn.transition), (select max(id) from posthorn.operation))::text
           as high`

/**
 * Where a time is in the order of ids: behind the last transition before it (`behind`), up to the
 * first one since (`upto`, null if there is none). Ids and times are taken together, so that halving
 * finds it by some thirty looks into the index of ids, and none on times is needed.
 */
export function locateTime(time: Date): Statement {
  return sql`
    with recursive search (low, high) as (
      select coalesce(min(id), 0), coalesce(max(id) + 1, 0) from posthorn.transition
      union all
      select case when probe.at < ${time}::timestamptz then probe.id + 1 else search.low end,
             case when probe.at < ${time}::timestamptz then search.high else half.id end
        from search
       cross join lateral (select (search.low + search.high) / 2 as id) as half
       cross join lateral (
         select t.id, t.at from posthorn.transition as t where t.id >= half.id order by t.id limit 1
       ) as probe
       where search.low < search.high
    )
    select low::text as behind,
           (select min(id) from posthorn.transition where id >= low)::text as upto
      from search
     where low >= high`
}

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

/** The last row of each that is to be seen, whose number may be above those of open transactions. */
export function selectLastRows(tables: readonly AuditTableRow[]): Statement {
  return tables
    .map(
      ({ name, seq_column: column }) =>
        sql`select ${name} as name, max(${sql.id(column)})::text as last from ${sql.id(name)}`,
    )
    .reduce((all, one) => sql`${all} union all ${one}`)
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
