import type { TSchema } from 'typebox'
import { Type } from 'typebox'

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
