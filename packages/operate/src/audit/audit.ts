import { fromCursor, toCursor } from '@posthorn/engine/internal'
import type { Transition } from '../messages/messages.ts'
import {
  locateTime,
  selectEdges,
  selectEntries,
  type AuditConditions,
  type AuditRow,
} from './audit.sql.ts'
import type { Queryable } from '@posthorn/engine'

/** Entries that one page looks at when no index leads to what is searched: 50 ms at the most. */
const WINDOW = 75_000n
const EVERYTHING = 2n ** 63n

/** Ids and times are taken together, but not at one moment, and a clock may be set back a little. */
const SLACK_MS = 60_000

/** A change of a message's state. */
export interface RecordedTransition extends Transition {
  readonly kind: 'transition'
  readonly id: string
  readonly outbox: string
  readonly messageId: string
  /** Undefined where the outbox has no column for it. */
  readonly tenant: string | undefined
}

/** What an operator did that changed no message's state: `pause`, `resume`, `acknowledge` … */
export interface Operation {
  readonly kind: 'operation'
  readonly id: string
  readonly operation: string
  /** Undefined for what concerns none, such as the clock. */
  readonly outbox: string | undefined
  /** The outbox, key or message that it was done to, or how far the clock was moved. */
  readonly subject: string
  readonly actor: string
  readonly reason: string | undefined
  readonly tenant: string | undefined
  readonly at: Date
}

export type AuditEntry = RecordedTransition | Operation

/** What to search; everything left out matches all. */
export interface AuditFilter {
  readonly kind?: AuditEntry['kind']
  readonly outbox?: string
  /** With this, `code` or `toState` only transitions are found. */
  readonly messageId?: string
  readonly actor?: string
  readonly code?: string
  readonly toState?: string
  readonly since?: Date
  readonly until?: Date
  /** Text anywhere in the subject, code, error, actor or reason, in upper or lower case. */
  readonly search?: string
  readonly tenant?: string
}

export interface AuditOptions extends AuditFilter {
  /** `nextCursor` of the page before. */
  readonly cursor?: string
  /** From 1 to 500. Default 50. */
  readonly limit?: number
}

export interface AuditPage {
  readonly items: readonly AuditEntry[]
  /** Undefined when all is searched. A page may be short, or empty, and yet not be the last. */
  readonly nextCursor: string | undefined
}

/**
 * What happened to all messages and what operators did, newest first. One page looks at 75,000
 * entries at most, unless it goes by a message's id or a code: follow the cursor to search on.
 * Throws `CURSOR_INVALID` for a cursor that is none.
 */
export async function searchAudit(db: Queryable, options: AuditOptions = {}): Promise<AuditPage> {
  const { kind, cursor, limit: wanted = 50, ...filter } = options
  const place =
    cursor === undefined ? undefined : fromCursor(cursor, { idType: 'bigint', timed: false })
  const bounds = await boundsOf(db, filter)
  // No text of Postgres has a zero byte in it: nothing can match.
  if (!bounds || Object.values(filter).some((value) => String(value).includes('\0'))) {
    return { items: [], nextCursor: undefined }
  }
  const to = smaller(bounds.high, place ? BigInt(place.id) : bounds.high)
  const from = larger(bounds.low, to - windowOf(options))
  const limit = Math.min(Math.max(Math.trunc(wanted), 1), 500)
  const ofMessages = (filter.messageId ?? filter.code ?? filter.toState) !== undefined
  const kinds = {
    transitions: kind !== 'operation',
    operations: kind !== 'transition' && !ofMessages,
  }
  const { rows } = await db.query<AuditRow>(
    // One more than asked for tells whether there is another page.
    selectEntries(kinds, conditionsOf(filter), {
      from: String(from),
      to: String(to),
      limit: limit + 1,
    }),
  )
  const items = rows.slice(0, limit).map(entryOf)
  const last = items.at(-1)
  if (last && rows.length > limit) return { items, nextCursor: toCursor({ id: last.id }) }
  return { items, nextCursor: from > bounds.low ? toCursor({ id: String(from) }) : undefined }
}

/** How many ids one page goes through, so that what is rare or not there does not cost a scan. */
function windowOf({ kind, messageId, code, ...others }: AuditOptions): bigint {
  const { outbox, actor, toState, search, tenant } = others
  const exact = (outbox ?? actor ?? toState ?? search ?? tenant) === undefined
  if (kind === 'operation' || messageId !== undefined) return EVERYTHING
  if (code !== undefined) return exact ? EVERYTHING : WINDOW * 10n
  return WINDOW
}

/** The ids among which everything is that the filter's times allow; undefined if there is nothing. */
async function boundsOf(
  db: Queryable,
  { since, until }: AuditFilter,
): Promise<{ low: bigint; high: bigint } | undefined> {
  const { rows } = await db.query<{ low: string | null; high: string | null }>(selectEdges)
  const [edges] = rows
  if (!edges?.low || !edges.high) return undefined
  let low = BigInt(edges.low)
  let high = BigInt(edges.high) + 1n
  if (since) {
    const { behind } = await locate(db, new Date(since.getTime() - SLACK_MS))
    low = larger(low, BigInt(behind))
  }
  if (until) {
    const { upto } = await locate(db, new Date(until.getTime() + SLACK_MS))
    if (upto) high = smaller(high, BigInt(upto))
  }
  return { low, high }
}

async function locate(db: Queryable, time: Date): Promise<{ behind: string; upto: string | null }> {
  const { rows } = await db.query<{ behind: string; upto: string | null }>(locateTime(time))
  return rows[0] ?? { behind: '0', upto: null }
}

function conditionsOf(filter: AuditFilter): AuditConditions {
  return {
    outbox: filter.outbox ?? null,
    messageId: filter.messageId ?? null,
    actor: filter.actor ?? null,
    code: filter.code ?? null,
    toState: filter.toState ?? null,
    since: filter.since ?? null,
    until: filter.until ?? null,
    search: filter.search ?? null,
    tenant: filter.tenant ?? null,
  }
}

/** A row of either kind as what it is. */
export function entryOf(row: AuditRow): AuditEntry {
  const base = {
    id: row.id,
    actor: row.actor,
    reason: row.reason ?? undefined,
    tenant: row.tenant ?? undefined,
    at: row.at,
  }
  if (row.operation !== null) {
    const { operation, subject } = row
    return { kind: 'operation', ...base, operation, subject, outbox: row.outbox ?? undefined }
  }
  return {
    kind: 'transition',
    ...base,
    outbox: row.outbox ?? '',
    messageId: row.subject,
    from: row.from_state ?? undefined,
    to: row.to_state ?? '',
    attempt: row.attempt ?? undefined,
    code: row.code ?? undefined,
    error: row.error ?? undefined,
  }
}

function smaller(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}

function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}
