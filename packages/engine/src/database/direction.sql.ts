import { sql, type Statement } from './sql-tag.ts'

/** How the lists of operators are sorted; the first is the usual one. */
export type TimeSort = 'newest' | 'oldest'

/** Which way a list goes, as the words of its statement: `id ${beyond} … order by id ${order}`. */
export interface Direction {
  /** What is behind the end of a page: `<` or `>`. */
  readonly beyond: Statement
  readonly order: Statement
}

const DOWN: Direction = { beyond: sql`<`, order: sql`desc` }
const UP: Direction = { beyond: sql`>`, order: sql`asc` }

/** The direction of a `sort`: `-createdAt` goes down, `createdAt` up. */
export function directionOf(sort: string): Direction {
  return sort.startsWith('-') ? DOWN : UP
}
