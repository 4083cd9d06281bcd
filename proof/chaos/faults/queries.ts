import { sql, type Queryable } from '@posthorn/engine'

/** Messages that some relay has under way. */
export async function selectUnderWay(db: Queryable): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(sql`
    select id from crash.row_event where claim_token is not null`)
  return rows.map(({ id }) => id)
}

/** Whether all of them have been settled. */
export async function areSettled(db: Queryable, ids: readonly string[]): Promise<boolean> {
  const { rows } = await db.query(sql`
    select from crash.row_event where id = any(${ids}::uuid[]) and status = 'ready' limit 1`)
  return rows.length === 0
}
