import { Type, type TSchema } from 'typebox'
import { encodeCursor } from './cursor.ts'

/** The query of every list, newest first. */
export const PageQuery = Type.Object({
  limit: Type.Integer({ minimum: 1, maximum: 200, default: 50 }),
  cursor: Type.Optional(
    Type.String({ minLength: 1, maxLength: 1_024, description: '`nextCursor` of the page before' }),
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
