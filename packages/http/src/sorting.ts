import { Type, type Static, type TSchema } from 'typebox'
import { decodeCursor, encodeCursor } from './cursor.ts'
import { toPage } from './paging.ts'

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
      description: 'a field of the items, `-` before it for the highest first',
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
