import { sql, type Queryable } from '@posthorn/engine'

/** Keys of objects that are to be removed, the oldest marks first. */
export async function listRemovals(db: Queryable, limit: number): Promise<string[]> {
  const { rows } = await db.query<{ key: string }>(sql`
    select key from evidence.object_removal order by marked_at, key limit ${limit}`)
  return rows.map(({ key }) => key)
}

export async function deleteRemovals(db: Queryable, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return
  await db.query(sql`delete from evidence.object_removal where key = any(${keys}::text[])`)
}
