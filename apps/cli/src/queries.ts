import { sql, type Queryable } from '@posthorn/engine'

/** The database's own time. */
export async function selectNow(db: Queryable): Promise<Date> {
  const { rows } = await db.query<{ now: Date }>(sql`select now() as now`)
  return rows[0]?.now ?? new Date()
}
