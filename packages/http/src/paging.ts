import { Type, type TSchema, type Static } from 'typebox'
import { Value } from 'typebox/value'
import { problem } from './problem/problem.ts'

/** The query of every list, newest first. */
export const PageQuery = Type.Object({
  limit: Type.Integer({ minimum: 1, maximum: 200, default: 50 }),
  cursor: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 1_024,
      description: '`nextCursor` of the previous page',
    }),
  ),
  status: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
})

/** The answer of a list; `nextCursor` is null at the end. */
export function pageOf<Item extends TSchema>(item: Item) {
  return Type.Object({
    items: Type.Array(item),
    nextCursor: Type.Union([Type.String(), Type.Null()]),
  })
}

/**
 * The page of a list that was asked for `limit + 1` rows: the one too many says that there is another
 * page. `after` gives the sort value of a row, which `decodeCursor` gives back.
 */
export function toPage<Row, Item>(
  rows: readonly Row[],
  limit: number,
  { item, after }: { item: (row: Row) => Item; after: (row: Row) => unknown },
): { items: Item[]; nextCursor: string | null } {
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  return {
    items: shown.map((row) => item(row)),
    nextCursor: last !== undefined && rows.length > limit ? encodeCursor([after(last)]) : null,
  }
}

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

/** What a page of a sorted list was asked for. */
interface SortedQuery {
  readonly sort: string
  readonly cursor?: string
  readonly limit: number
}

/**
 * The orders of a list: fields of its items that an index serves, `-` before one for the highest
 * first. The first of them is the order of who asks for none. A cursor belongs to the order that it
 * was given out in: in another one, rows would be left out or come twice.
 */
export function sortable<const Sorts extends readonly [string, ...string[]]>(sorts: Sorts) {
  const [usual] = sorts
  return {
    /** `sort` of the query. */
    parameter: Type.Enum(sorts, {
      default: usual,
      description: 'Field to sort by; `-` before it sorts in descending order',
    }),

    /** Where the page before ended; null at the beginning, `CURSOR_INVALID` for another order's. */
    placeIn<Place extends TSchema>(
      { sort, cursor }: SortedQuery,
      place: Place,
    ): Static<Place> | null {
      if (cursor === undefined) return null
      if (sort === usual) return decodeCursor(cursor, Type.Tuple([place]))[0] as Static<Place>
      return decodeCursor(cursor, Type.Tuple([place, Type.Literal(sort)]))[0] as Static<Place>
    },

    /** The page of rows that were asked for one too many, as `toPage` has it. */
    page<Row, Item>(
      rows: readonly Row[],
      { sort, limit }: SortedQuery,
      shape: { item: (row: Row) => Item; after: (row: Row) => unknown },
    ): { items: Item[]; nextCursor: string | null } {
      const { items, nextCursor } = toPage(rows, limit, shape)
      const last = rows[items.length - 1]
      if (nextCursor === null || last === undefined || sort === usual) return { items, nextCursor }
      return { items, nextCursor: encodeCursor([shape.after(last), sort]) }
    },
  }
}
