import { PosthornError } from '../errors.ts'
import { isId, type IdType } from '../outbox/id-type.ts'

/** Where a page ended: the sort values of its last message. */
export interface Place {
  readonly id: string
  /** Microseconds since 1970; left out where the id alone is the order. */
  readonly us?: string
}

/** A place as an opaque word for the outside. */
export function toCursor({ id, us }: Place): string {
  return Buffer.from(JSON.stringify(us === undefined ? [id] : [id, us])).toString('base64url')
}

/** The place that a cursor stands for; throws `CURSOR_INVALID` if `toCursor` cannot have made it. */
export function fromCursor(
  cursor: string,
  { idType, timed }: { idType: IdType; timed: boolean },
): Place {
  const [id, us] = parseCursor(cursor)
  const rightTime = timed ? isMicroseconds(us) : us === undefined
  if (typeof id !== 'string' || !isId(id, idType) || !rightTime) throw invalid()
  return typeof us === 'string' ? { id, us } : { id }
}

function parseCursor(cursor: string): unknown[] {
  let values: unknown
  try {
    values = JSON.parse(Buffer.from(cursor, 'base64url').toString())
  } catch (cause) {
    throw invalid(cause)
  }
  if (!Array.isArray(values) || values.length > 2) throw invalid()
  return values
}

function isMicroseconds(us: unknown): boolean {
  // Sixteen digits reach the year 2286.
  return typeof us === 'string' && /^-?\d{1,16}$/.test(us)
}

function invalid(cause?: unknown): PosthornError {
  return new PosthornError('CURSOR_INVALID', undefined, { cause })
}
