import { createHash } from 'node:crypto'
import type { Pool } from 'pg'
import { type Duration, toMs } from '../duration.ts'
import { PosthornError, DefinitionError } from '../errors.ts'
import { createInbox, failTransaction, inboxSql, type InboxSql } from './inbox.sql.ts'
import { transaction, type Queryable, type Transaction } from '../database/transaction.ts'
import { isIdentifier } from '../database/sql-tag.ts'
import { storableText } from '../storable.ts'

export interface InboxDefinition {
  /** With its schema: `sagas.consumer_inbox`. The table belongs to the system, not to the engine. */
  readonly table: string
  /**
   * How long a UUIDv7 is remembered, counted from the time inside it. Longer than any message can be
   * late: an id older than this is refused with `INBOX_EXPIRED`.
   */
  readonly retention: Duration
  /** Weekly partitions by id, so that retention drops tables instead of rows. Default false. */
  readonly partitioned?: boolean
  /**
   * How long after its receipt an id that is no UUIDv7 is forgotten; a repeat after that runs
   * again, since nothing in the id says how old it is. Default: such ids are kept for ever.
   */
  readonly forgetOthers?: Duration
}

/** Remembers which consumer has done which message. */
export interface Inbox {
  readonly table: string
  readonly schema: string
  readonly name: string
  readonly retentionMs: number
  readonly partitioned: boolean
  readonly forgetOthersMs: number | undefined
  readonly sql: InboxSql
}

/** One message at one consumer. */
export interface Receipt {
  readonly inbox: Inbox
  /** Who the effect belongs to: two consumers of one message each do theirs. */
  readonly consumer: string
  /** The message's id: any text. */
  readonly id: string
}

/** What became of a message: its effect happened now, or had happened before. */
export type Once<Result> = { first: true; result: Result } | { first: false }

/** The outside call and what its answer changes in the database. */
export interface Around<Answer, Result> {
  /** Runs with no transaction open; may run again after a crash, with the same idempotency key. */
  readonly call: (idempotencyKey: string) => Promise<Answer>
  /** Runs in the transaction that stores the inbox row. */
  readonly outcome: (tx: Transaction, answer: Answer) => Promise<Result>
}

/** Checks an inbox definition and prepares its statements. */
export function defineInbox(definition: InboxDefinition): Inbox {
  const { table, retention, partitioned = false, forgetOthers } = definition
  const { schema, name } = tableField(table)
  return {
    table,
    schema,
    name,
    retentionMs: durationField(table, 'retention', { value: retention, atLeast: '1m' }),
    partitioned,
    forgetOthersMs:
      forgetOthers === undefined
        ? undefined
        : durationField(table, 'forgetOthers', { value: forgetOthers, atLeast: '1m' }),
    sql: inboxSql(table, partitioned ? `${table}_default` : table),
  }
}

/** The inbox's DDL, for a migration of the system that owns it. */
export function inboxTableSql(inbox: Inbox): string {
  return createInbox(inbox)
}

/**
 * Runs the handler unless this consumer has had the message: the inbox row and the handler's writes
 * commit together. A repeat at the same time waits for the first to end, and runs if that one rolled
 * back. When the handler throws, the transaction can no longer commit (a savepoint around `once`
 * confines that). Throws `INBOX_EXPIRED` for an id older than its retention.
 */
export async function once<Result>(
  tx: Transaction,
  receipt: Receipt,
  handler: (tx: Transaction) => Promise<Result>,
): Promise<Once<Result>> {
  if (!(await receive(tx, receipt))) return { first: false }
  try {
    return { first: true, result: await handler(tx) }
  } catch (error) {
    // It fails by design; and where the transaction or the connection is broken already, so be it.
    await tx.query({ text: failTransaction, values: [] }).catch(() => undefined)
    throw error
  }
}

/**
 * The same for an effect outside the database: looks, calls with no transaction open, then stores
 * the inbox row and the outcome in one transaction. An outcome that comes second is dropped. The
 * call itself is made once only as far as the other side honours the idempotency key.
 */
export async function around<Answer, Result>(
  pool: Pool,
  receipt: Receipt,
  { call, outcome }: Around<Answer, Result>,
): Promise<Once<Result>> {
  if (await hasSeen(pool, receipt)) return { first: false }
  const answer = await call(receipt.id)
  return transaction(pool, (tx) => once(tx, receipt, () => outcome(tx, answer)))
}

/** An entry of an index holds 2.7 kB. */
const MOST_CHARACTERS = 500

/**
 * An id as an inbox keeps it: a UUID in lower case; instead of one that is very long, or that Postgres
 * cannot store, its digest; any other as it is.
 */
export function inboxId(id: string): string {
  if (UUID.test(id)) return id.toLowerCase()
  if (id.length <= MOST_CHARACTERS && storableText(id) === id) return id
  return `sha256:${createHash('sha256').update(JSON.stringify(id)).digest('hex')}`
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Stores the inbox row; false if it was there. */
async function receive(tx: Transaction, receipt: Receipt): Promise<boolean> {
  const { inbox, consumer, id } = receipt
  const values = [consumer, inboxId(id), inbox.retentionMs]
  const { rows } = await tx.query({ text: inbox.sql.receive, values })
  if (rows.length > 0) return true
  // Known or expired. If it is neither, it was known and has been deleted since.
  return !(await hasSeen(tx, receipt)) && receive(tx, receipt)
}

/** Whether this consumer has had the message; throws if the inbox no longer knows. */
async function hasSeen(db: Queryable, { inbox, consumer, id }: Receipt): Promise<boolean> {
  const values = [consumer, inboxId(id), inbox.retentionMs]
  const { rows } = await db.query<{ seen: boolean; expired: boolean }>({
    text: inbox.sql.seen,
    values,
  })
  if (rows[0]?.seen) return true
  if (rows[0]?.expired) throw expiredError({ inbox, consumer, id })
  return false
}

/** The message may be a repeat: its inbox row would be gone by now. */
export function expiredError({ inbox, consumer, id }: Receipt): PosthornError {
  return new PosthornError(
    'INBOX_EXPIRED',
    `${consumer}: message ${id} is older than the retention of ${inbox.table}, so it may be a repeat`,
  )
}

/** Longest table name that leaves room for `_p20260316`, `_default` and the names of indexes. */
const MAX_TABLE = 45

/** The schema and the bare name of a definition's table; throws a `DefinitionError` for a wrong one. */
export function tableField(table: string): { schema: string; name: string } {
  const [schema, name] = table.split('.')
  if (!isIdentifier(table) || schema === undefined || name === undefined) {
    const problem = 'must be a plain lower-case name with its schema, like "sagas.consumer_inbox"'
    throw new DefinitionError(table, 'table', problem)
  }
  if (name.length > MAX_TABLE) {
    throw new DefinitionError(table, 'table', `must have at most ${MAX_TABLE} characters`)
  }
  return { schema, name }
}

/** The milliseconds of a definition's duration; throws a `DefinitionError` for one that is wrong. */
export function durationField(
  table: string,
  field: string,
  range: { value: Duration; atLeast: Duration },
): number {
  let ms: number
  try {
    ms = toMs(range.value)
  } catch {
    throw new DefinitionError(table, field, `"${range.value}" is not a duration like "30s" or "6h"`)
  }
  if (ms < toMs(range.atLeast))
    throw new DefinitionError(table, field, `must be at least ${range.atLeast}`)
  return ms
}
