import type { Outbox } from '../outbox/define.ts'
import { PosthornError } from '../errors.ts'

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

function tooLarge(outbox: string, what: string, limit: string): PosthornError {
  return new PosthornError('MESSAGE_TOO_LARGE', `outbox ${outbox}: ${what}; the limit is ${limit}`)
}

/** The columns of an outbox whose values `checkWord` is for. */
export function listWords({ columns, order, fair, limit }: Outbox): string[] {
  const { id, type, tenant, dedupe = [] } = columns
  const named = [id, type, tenant, ...dedupe, order?.key, fair?.by, limit?.by]
  return [...new Set(named.filter((name) => name !== undefined))]
}
