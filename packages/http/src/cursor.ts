import type { Static, TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { problem } from './problem.ts'

/** The sort values of a page's last item as an opaque word. */
export function encodeCursor(values: readonly unknown[]): string {
  return Buffer.from(JSON.stringify(values)).toString('base64url')
}

/** What `encodeCursor` was given, if it has that shape (`Type.Tuple([…])`); else `CURSOR_INVALID`. */
export function decodeCursor<Shape extends TSchema>(cursor: string, shape: Shape): Static<Shape> {
  let values: unknown
  try {
    values = JSON.parse(Buffer.from(cursor, 'base64url').toString())
  } catch (cause) {
    throw invalidCursor(cause)
  }
  if (!Value.Check(shape, values) || !isOurs(cursor, values)) throw invalidCursor()
  return values
}

/** Only the exact word: anything else was made up, and could hold what Postgres does not take. */
function isOurs(cursor: string, values: unknown): boolean {
  return (
    Array.isArray(values) &&
    encodeCursor(values) === cursor &&
    !values.some(
      (value) => typeof value === 'string' && (value.includes('\0') || !value.isWellFormed()),
    )
  )
}

function invalidCursor(cause?: unknown) {
  return problem('CURSOR_INVALID', {
    errors: [{ field: 'cursor', reason: 'is not valid for this list' }],
    cause,
  })
}
