import type { Queryable, Transaction } from '../database/transaction.ts'
import type { ConsumerMessageRow } from './consumer-messages.sql.ts'
import {
  countLetters,
  dropLetters,
  replayLetters,
  selectLetter,
  selectLetters,
  type LetterConditions,
} from './dead-letters.sql.ts'
import { everyone } from '../database/bell.ts'
import { notifyWakes } from '../database/wake.sql.ts'
import { fromCursor, toCursor, isId } from '../database/cursor.ts'
import { type TimeSort } from '../database/direction.sql.ts'
import { signed, type Operator } from '../control/replay.ts'

/** `dead` waits for an operator, `retry` for its next attempt, `parked` behind one of its key. */
export type SetAsideState = ConsumerMessageRow['state']

/** A message that a consumer set aside, and why. */
export interface SetAsideMessage {
  readonly id: string
  readonly topic: string
  readonly group: string
  readonly state: SetAsideState
  /** Undefined where the broker has no positions. */
  readonly partition: number | undefined
  readonly offset: string | undefined
  readonly messageId: string
  /** Undefined, like the payload, where it could not be decoded. */
  readonly type: string | undefined
  readonly key: string | undefined
  readonly tenant: string | undefined
  readonly occurredAt: Date | undefined
  readonly headers: Readonly<Record<string, string>>
  /** Fields that are named like secrets are redacted; the consumer gets them. */
  readonly payload: unknown
  /** As it was received, where it could not be decoded. */
  readonly body: Uint8Array | undefined
  readonly attempts: number
  readonly code: string | undefined
  readonly error: string | undefined
  /** When its next attempt is due. */
  readonly dueAt: Date
  readonly setAsideAt: Date
  readonly diedAt: Date | undefined
}

/** Which messages; everything left out matches all. */
export interface LetterFilter {
  readonly ids?: readonly string[]
  readonly topic?: string
  readonly group?: string
  readonly type?: string
  readonly key?: string
  readonly tenant?: string
  readonly code?: string
  readonly since?: Date
  readonly until?: Date
  /** Text anywhere in id, key, code, error or payload, in upper or lower case. */
  readonly search?: string
}

export interface LetterListOptions extends LetterFilter {
  /** Default: all three. */
  readonly state?: SetAsideState
  /** Default `newest` first. */
  readonly sort?: TimeSort
  /** `nextCursor` of the page before. */
  readonly cursor?: string
  /** From 1 to 500. Default 50. */
  readonly limit?: number
}

export interface LetterPage {
  readonly items: readonly SetAsideMessage[]
  /** Undefined on the last page. */
  readonly nextCursor: string | undefined
}

/** What consumers have set aside, newest first. Throws `CURSOR_INVALID` for a cursor that is none. */
export async function listDeadLetters(
  db: Queryable,
  { cursor, limit: wanted = 50, state, sort = 'newest', ...filter }: LetterListOptions = {},
): Promise<LetterPage> {
  const before =
    cursor === undefined ? null : fromCursor(cursor, { idType: 'bigint', timed: false, sort }).id
  const conditions = conditionsOf(filter, state)
  if (!conditions) return { items: [], nextCursor: undefined }
  const limit = Math.min(Math.max(Math.trunc(wanted), 1), 500)
  // One more than asked for tells whether there is another page.
  const statement = selectLetters(conditions, { before, sort, limit: limit + 1 })
  const { rows } = await db.query<ConsumerMessageRow>(statement)
  const items = rows.slice(0, limit).map(letterOf)
  const last = items.at(-1)
  const hasMore = last !== undefined && rows.length > limit
  return { items, nextCursor: hasMore ? toCursor({ id: last.id }, sort) : undefined }
}

/** One of them, undefined if it is not there any more: handled or dropped. */
export async function getDeadLetter(
  db: Queryable,
  id: string,
): Promise<SetAsideMessage | undefined> {
  if (!isId(id, 'bigint')) return undefined
  const { rows } = await db.query<ConsumerMessageRow>(selectLetter(id))
  return rows[0] && letterOf(rows[0])
}

export interface LetterOperator extends Operator {
  readonly filter?: LetterFilter
  /** At most so many, the oldest first. Default 1,000. */
  readonly limit?: number
}

/** How many dead letters `replayDeadLetters` or `dropDeadLetters` would take. */
export async function countDeadLetters(
  db: Queryable,
  filter: LetterFilter,
  operation: 'replay' | 'drop',
): Promise<number> {
  const conditions = conditionsOf(filter)
  if (!conditions) return 0
  const statement = countLetters(conditions, { decoded: operation === 'replay' })
  const { rows } = await db.query<{ count: number }>(statement)
  return rows[0]?.count ?? 0
}

/**
 * Gives dead letters to their consumers again: a process of the group hands them to the same handler
 * soon, with their attempts counted from zero; what is parked behind them follows in
 * order. Returns the ids. What could not be decoded stays: it can only be dropped.
 */
export function replayDeadLetters(tx: Transaction, options: LetterOperator): Promise<string[]> {
  return operate(tx, options, replayLetters)
}

/** Deletes dead letters for ever, and lets what is parked behind them go on. Returns the ids. */
export function dropDeadLetters(tx: Transaction, options: LetterOperator): Promise<string[]> {
  return operate(tx, options, dropLetters)
}

async function operate(
  tx: Transaction,
  { filter = {}, limit = 1_000, ...operator }: LetterOperator,
  statement: typeof replayLetters | typeof dropLetters,
): Promise<string[]> {
  const conditions = conditionsOf(filter)
  if (!conditions) return []
  const { by, reason = null } = signed(operator)
  const operation = { by, reason, limit }
  const { rows } = await tx.query<{ id: string }>(statement(conditions, operation))
  // Their consumers look at once, wherever they run; those in a process without a relay, at their next poll.
  tx.ringLater(everyone)
  await tx.query(notifyWakes(['ring *']))
  return rows.map(({ id }) => id)
}

/** Undefined if nothing can match: no text of Postgres has a zero byte in it. */
function conditionsOf(filter: LetterFilter, state?: SetAsideState): LetterConditions | undefined {
  const { ids, topic, group, type, key, tenant, code, since, until, search } = filter
  const texts = [topic, group, type, key, tenant, code, search]
  if (texts.some((value) => value?.includes('\0'))) return undefined
  return {
    ids: ids?.filter((id) => isId(id, 'bigint')) ?? null,
    topic: topic ?? null,
    group: group ?? null,
    state: state ?? null,
    type: type ?? null,
    key: key ?? null,
    tenant: tenant ?? null,
    code: code ?? null,
    since: since ?? null,
    until: until ?? null,
    search: search ?? null,
  }
}

const SECRET = /token|secret|password|authorization/i

/** Operators look at why a message failed; a link that opens an account is none of their business. */
function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      SECRET.test(name) ? '(redacted)' : withoutSecrets(inner),
    ]),
  )
}

function letterOf(row: ConsumerMessageRow): SetAsideMessage {
  return {
    id: row.id,
    topic: row.topic,
    group: row.group_name,
    state: row.state,
    partition: row.partition ?? undefined,
    offset: row.log_offset ?? undefined,
    messageId: row.message_id,
    type: row.type ?? undefined,
    key: row.key ?? undefined,
    tenant: row.tenant ?? undefined,
    occurredAt: row.occurred_at ?? undefined,
    headers: withoutSecrets(row.headers) as Record<string, string>,
    payload: row.body ? undefined : withoutSecrets(row.payload),
    body: row.body ?? undefined,
    attempts: row.attempts,
    code: row.code ?? undefined,
    error: row.error ?? undefined,
    dueAt: row.due_at,
    setAsideAt: row.created_at,
    diedAt: row.died_at ?? undefined,
  }
}
