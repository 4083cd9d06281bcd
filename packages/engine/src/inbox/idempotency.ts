import { createHash, randomUUID } from 'node:crypto'
import { durationField, tableField } from './inbox.ts'
import type { Duration } from '../duration.ts'
import { PosthornError } from '../errors.ts'
import { createIdempotencyKeys, idempotencySql, type IdempotencySql } from './idempotency.sql.ts'
import type { Queryable, Transaction } from '../database/transaction.ts'

export interface IdempotencyDefinition {
  /** With its schema: `shop.idempotency_keys`. The table belongs to the system. */
  readonly table: string
  /** How long a key is kept after its first use, by the business clock. Default `24h`. */
  readonly expires?: Duration
  /** How long a claim holds without being extended, by real time. Default `1m`. */
  readonly lock?: Duration
}

/** Where an API keeps its idempotency keys. */
export interface IdempotencyStore {
  readonly table: string
  readonly name: string
  readonly expiresMs: number
  readonly lockMs: number
  readonly sql: IdempotencySql
}

/** A request as its client names it. */
export interface KeyedRequest {
  /** Whose key it is, e.g. user and route: the same key in another scope is another key. */
  readonly scope: string
  /** What the client sent, at most 255 bytes. */
  readonly key: string
  /** From `fingerprint()`. */
  readonly fingerprint: string
}

/** The right to work on a key: every write that follows is refused after a takeover. */
export interface KeyClaim {
  readonly store: IdempotencyStore
  readonly scope: string
  readonly key: string
  readonly token: string
  /** True: another request began this work and did not finish; `state` says how far it came. */
  readonly takeover: boolean
  /** What `saveState` stored last; undefined if it never did. */
  readonly state: unknown
}

/** What the client is answered, now and at every repeat. */
export interface StoredResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** The exact bytes. */
  readonly body: Uint8Array
}

/** What to do with a request. */
export type KeyOutcome =
  /** Do the work; then `completeKey` or `abandonKey`. */
  | ({ readonly kind: 'claimed' } & KeyClaim)
  /** It was done: answer the same. */
  | { readonly kind: 'replay'; readonly response: StoredResponse }
  /** The key belongs to another request. */
  | { readonly kind: 'reused' }
  /** Another request works on it; its lock runs out then, unless it is extended. */
  | { readonly kind: 'inFlight'; readonly retryAfterMs: number }

/** Checks a definition and prepares its statements. */
export function defineIdempotency(definition: IdempotencyDefinition): IdempotencyStore {
  const { table, expires = '24h', lock = '1m' } = definition
  const { name } = tableField(table)
  return {
    table,
    name,
    expiresMs: durationField(table, 'expires', { value: expires, atLeast: '1m' }),
    lockMs: durationField(table, 'lock', { value: lock, atLeast: '1s' }),
    sql: idempotencySql(table),
  }
}

/** The table's DDL, for a migration of the system that owns it; needs the engine's own first. */
export function idempotencyTableSql(store: IdempotencyStore): string {
  return createIdempotencyKeys(store)
}

/** SHA-256 of a request: the same for the same meaning, in any order of keys and with any white space. */
export function fingerprint(request: { method: string; route: string; body?: unknown }): string {
  const { method, route, body } = request
  const parts = body === undefined ? [method, route] : [method, route, body]
  return createHash('sha256').update(canonicalJson(parts)).digest('hex')
}

interface KeyRow {
  claimed: boolean
  same: boolean
  completed: boolean
  takeovers: number
  state: unknown
  response_status: number
  response_headers: Record<string, string>
  response_body: Uint8Array
  retry_after_ms: number
}

/**
 * Claims a key, or says why not, in one statement. A lock that ran out is taken over; a finished key
 * that expired begins anew. An unfinished key with a saved state never expires: something may have
 * happened outside, so only its own request or `claimStaleKeys` can go on with it.
 */
export async function claimKey(
  db: Queryable,
  store: IdempotencyStore,
  request: KeyedRequest,
): Promise<KeyOutcome> {
  const { scope, key } = request
  const token = randomUUID()
  const { rows } = await db.query<KeyRow>({
    text: store.sql.claim,
    values: [scope, key, request.fingerprint, token, store.lockMs, store.expiresMs],
  })
  const row = rows[0] as KeyRow
  if (row.claimed) {
    const takeover = row.takeovers > 0
    return { kind: 'claimed', store, scope, key, token, takeover, state: row.state ?? undefined }
  }
  if (!row.same) return { kind: 'reused' }
  if (!row.completed) return { kind: 'inFlight', retryAfterMs: row.retry_after_ms }
  const { response_status: status, response_headers: headers, response_body: body } = row
  return { kind: 'replay', response: { status, headers, body } }
}

/** Takes over keys whose owner is gone, oldest first (at most `limit`, default 100): for a completer. */
export async function claimStaleKeys(
  db: Queryable,
  store: IdempotencyStore,
  { limit = 100 }: { limit?: number } = {},
): Promise<KeyClaim[]> {
  type Stale = { scope: string; key: string; lock_token: string; state: unknown }
  const { rows } = await db.query<Stale>({
    text: store.sql.claimStale,
    values: [store.lockMs, limit],
  })
  return rows.map(({ scope, key, lock_token: token, state }) => ({
    store,
    scope,
    key,
    token,
    takeover: true,
    state: state ?? undefined,
  }))
}

/** Holds the lock for its full length from now. Throws `IDEMPOTENCY_LOCK_LOST`, as do the next three. */
export async function extendLock(db: Queryable, claim: KeyClaim): Promise<void> {
  await runFenced(db, claim, { text: claim.store.sql.extend, values: [claim.store.lockMs] })
}

/** Stores how far the work has come, in the transaction that brings it there; any JSON value. */
export async function saveState(tx: Transaction, claim: KeyClaim, state: unknown): Promise<void> {
  // Text, since pg would write an array as an array of Postgres's own.
  await runFenced(tx, claim, { text: claim.store.sql.saveState, values: [JSON.stringify(state)] })
}

/** Stores the response, in the transaction that ends the work: from now on the key is replayed. */
export async function completeKey(
  tx: Transaction,
  claim: KeyClaim,
  response: Omit<StoredResponse, 'body'> & { readonly body: string | Uint8Array },
): Promise<void> {
  const body = typeof response.body === 'string' ? Buffer.from(response.body) : response.body
  await runFenced(tx, claim, {
    text: claim.store.sql.complete,
    values: [response.status, JSON.stringify(response.headers), body],
  })
}

/** Gives the key back as if it had never been used: only for work that failed before any effect. */
export async function abandonKey(db: Queryable, claim: KeyClaim): Promise<void> {
  await runFenced(db, claim, { text: claim.store.sql.abandon, values: [] })
}

/** Keys a delete takes at once, to keep its transaction short. */
const PRUNE_BATCH = 5_000

/** Deletes expired keys, except those that hold unfinished work; returns how many. */
export async function pruneKeys(db: Queryable, store: IdempotencyStore): Promise<number> {
  let deleted = 0
  for (;;) {
    const { rows } = await db.query<{ count: number }>({
      text: store.sql.prune,
      values: [PRUNE_BATCH],
    })
    const count = rows[0]?.count ?? 0
    deleted += count
    if (count < PRUNE_BATCH) return deleted
  }
}

/** Runs a write that only the holder of the token may make. */
async function runFenced(
  db: Queryable,
  { scope, key, token }: KeyClaim,
  { text, values }: { text: string; values: unknown[] },
): Promise<void> {
  const { rows } = await db.query({ text, values: [scope, key, token, ...values] })
  if (rows.length > 0) return
  throw new PosthornError(
    'IDEMPOTENCY_LOCK_LOST',
    `the lock on idempotency key "${key}" was taken over by another request: nothing was changed`,
  )
}

/**
 * JSON with one text per meaning (RFC 8785): keys sorted by UTF-16 code units, no white space,
 * numbers and strings as ECMAScript writes them. Fields that are undefined are left out; a bigint
 * is its digits, so that 5n and 5 mean the same. Throws a `TypeError` for what JSON cannot say: two
 * different requests must never become one text.
 */
export function canonicalJson(value: unknown): string {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return JSON.stringify(value)
    case 'bigint':
      return value.toString()
    case 'number':
      if (!Number.isFinite(value)) throw new TypeError(`${value} is not a JSON number`)
      return JSON.stringify(value)
    case 'object':
      return value === null ? 'null' : ofObject(value)
    case 'undefined':
    case 'function':
    case 'symbol':
      break
  }
  throw new TypeError(`a ${typeof value} is not JSON`)
}

function ofObject(value: object): string {
  if (Array.isArray(value)) {
    // As in JSON.stringify, where holes and undefined keep their place.
    return `[${Array.from(value, (item) => (item === undefined ? 'null' : canonicalJson(item))).join(',')}]`
  }
  if ('toJSON' in value && typeof value.toJSON === 'function') return canonicalJson(value.toJSON())
  // A Map or a Set has no fields: all of them would be the same empty object.
  if (Symbol.iterator in value)
    throw new TypeError('an iterable is not JSON: convert it to an array')
  const fields = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, field]) => `${JSON.stringify(name)}:${canonicalJson(field)}`)
  return `{${fields.join(',')}}`
}
