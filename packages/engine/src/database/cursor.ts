import { PosthornError } from '../errors.ts'
import type { TimeSort } from './direction.sql.ts'

/** Where a page ended: the sort values of its last message. */
export interface Place {
  readonly id: string
  /** Microseconds since 1970; left out where the id alone is the order. */
  readonly us?: string
}

/** A place as an opaque word for the outside; one of the unusual order says so. */
export function toCursor({ id, us }: Place, sort: TimeSort = 'newest'): string {
  const mark = sort === 'newest' ? [] : [sort]
  const values = us === undefined ? [id, ...mark] : [id, us, ...mark]
  return Buffer.from(JSON.stringify(values)).toString('base64url')
}

/** The place that a cursor stands for; throws `CURSOR_INVALID` if `toCursor` cannot have made it. */
export function fromCursor(
  cursor: string,
  { idType, timed, sort = 'newest' }: { idType: IdType; timed: boolean; sort?: TimeSort },
): Place {
  const [id, ...rest] = parseCursor(cursor)
  const us = timed ? rest.shift() : undefined
  const isOfThisSort = rest.length === (sort === 'newest' ? 0 : 1) && (rest[0] ?? 'newest') === sort
  if (typeof id !== 'string' || !isId(id, idType) || !isOfThisSort) throw invalid()
  if (timed && !isMicroseconds(us)) throw invalid()
  return typeof us === 'string' ? { id, us } : { id }
}

function parseCursor(cursor: string): unknown[] {
  let values: unknown
  try {
    values = JSON.parse(Buffer.from(cursor, 'base64url').toString())
  } catch (cause) {
    throw invalid(cause)
  }
  if (!Array.isArray(values) || values.length > 3) throw invalid()
  return values
}

function isMicroseconds(us: unknown): boolean {
  // Sixteen digits reach the year 2286.
  return typeof us === 'string' && /^-?\d{1,16}$/.test(us)
}

function invalid(cause?: unknown): PosthornError {
  return new PosthornError('CURSOR_INVALID', undefined, { cause })
}

/** Types that an outbox's id column may have. */
export type IdType = 'uuid' | 'bigint' | 'text'

/** Whether a column of that type can hold the id: asking Postgres for another would be an error. */
export function isId(id: string, idType: IdType): boolean {
  if (idType === 'text') return !id.includes('\0')
  if (idType === 'uuid') return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id)
  return /^-?\d{1,19}$/.test(id) && BigInt.asIntN(64, BigInt(id)) === BigInt(id)
}
