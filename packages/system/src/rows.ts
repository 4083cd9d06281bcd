import type { Queryable, Statement } from '@posthorn/engine'

/*
 * What a statement gives, said before the statement: `first<Payment>(db)(sql`…`)`. The statement comes
 * alone, so that it stands whole.
 */

/** Every row. */
export const all =
  <Row>(db: Queryable) =>
  async (statement: Statement): Promise<Row[]> =>
    (await db.query<Row>(statement)).rows

/** The first row, if there is one. */
export const first =
  <Row>(db: Queryable) =>
  async (statement: Statement): Promise<Row | undefined> =>
    (await db.query<Row>(statement)).rows[0]

/** The row of a statement that always gives one. */
export const one =
  <Row>(db: Queryable) =>
  async (statement: Statement): Promise<Row> =>
    (await db.query<Row>(statement)).rows[0] as Row

/** How many rows there were. */
export const count = (db: Queryable) => async (statement: Statement) =>
  (await db.query(statement)).rows.length

/** Whether there was a row. */
export const some = (db: Queryable) => async (statement: Statement) =>
  (await count(db)(statement)) > 0

/** The `id` of every row. */
export const listIds = (db: Queryable) => async (statement: Statement) =>
  (await all<{ id: string }>(db)(statement)).map(({ id }) => id)
