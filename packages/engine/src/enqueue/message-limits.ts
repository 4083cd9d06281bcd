import type { Outbox } from '../outbox/define.ts'
import { PosthornError, sqlState, SQLSTATE } from '../errors.ts'

/** Bytes of what stands in an index or names the message: its id, type, key, tenant and dedupe word. */
const MOST_BYTES = 1_024

/** Characters of any other column, such as the payload as JSON. */
const MOST_CHARACTERS = 16 * 1_024 * 1_024

/** Refuses a word that is too long for an index. */
export function checkWord(outbox: string, field: string, value: unknown): void {
  // A character has three bytes at the most.
  if (typeof value !== 'string' || value.length * 3 <= MOST_BYTES) return
  const bytes = Buffer.byteLength(value)
  if (bytes > MOST_BYTES) throw tooLarge(outbox, `${field} has ${bytes} bytes`, '1,024')
}

/** Refuses a value, as it is stored, that every relay would have to read into its memory. */
export function checkSize(outbox: string, field: string, stored: unknown): void {
  const size =
    typeof stored === 'string' || stored instanceof Uint8Array ? stored.length : undefined
  if (size !== undefined && size > MOST_CHARACTERS) {
    throw tooLarge(outbox, `${field} has ${size} characters`, '16 Mi')
  }
}

/** What JSON writes for a zero byte, or half a character; a backslash before it is a letter of the text. */
const UNSTORABLE_JSON = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/

/** A value as its column takes it. Refuses what Postgres could not store, or would store as something else. */
export function encodeField(
  outbox: string,
  { name, type }: { readonly name: string; readonly type: string },
  value: unknown,
): unknown {
  if (value === undefined || value === null) return null
  const isJson = type === 'jsonb' || type === 'json' || type.endsWith('[]')
  const stored = isJson ? writeJson(outbox, name, value) : value
  if (typeof stored !== 'string') return stored
  const isStorable = isJson
    ? !UNSTORABLE_JSON.test(stored)
    : stored.isWellFormed() && !stored.includes('\0')
  if (isStorable) return stored
  throw unstorable(outbox, `${name} has a zero byte or half of a character`)
}

function writeJson(outbox: string, name: string, value: unknown): string | null {
  try {
    return JSON.stringify(value) ?? null
  } catch (cause) {
    throw unstorable(outbox, `${name} cannot be written as JSON`, cause)
  }
}

/** Data exceptions, and limits of the server, such as the depth of JSON. */
const REFUSED = /^(22|54)/

/** The error of an insert, by its name where the message is at fault. */
export function refusalOf(outbox: string, error: unknown): unknown {
  const state = sqlState(error) ?? ''
  if (!REFUSED.test(state) && state !== SQLSTATE.notNullViolation) return error
  return unstorable(outbox, `the database refused the message: ${String(error)}`, error)
}

function unstorable(outbox: string, what: string, cause?: unknown): PosthornError {
  return new PosthornError('MESSAGE_UNSTORABLE', `outbox ${outbox}: ${what}`, { cause })
}

function tooLarge(outbox: string, what: string, limit: string): PosthornError {
  return new PosthornError('MESSAGE_TOO_LARGE', `outbox ${outbox}: ${what}; the limit is ${limit}`)
}

/** The columns of an outbox whose values `checkWord` is for. */
export function listWords({ columns, order, fair, limit }: Outbox): string[] {
  const { id, type, tenant, dedupe = [] } = columns
  const named = [id, type, tenant, ...dedupe, order?.key, fair?.by, limit?.by]
  return [...new Set(named.filter((name) => name !== undefined))]
}
