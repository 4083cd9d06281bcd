import type { Pool } from 'pg'

export async function createDatabase(admin: Pool): Promise<void> {
  await admin.query('create database soak')
}

export async function databaseBytes(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ bytes: string }>(
    'select pg_database_size(current_database()) as bytes',
  )
  return Number(rows[0]?.bytes)
}

/** The largest tables with their indexes, for a look at what an hour leaves behind. */
export async function largestTables(
  pool: Pool,
): Promise<readonly { name: string; bytes: number }[]> {
  const { rows } = await pool.query<{ name: string; bytes: string }>(`
    select relid::regclass::text as name, pg_total_relation_size(relid) as bytes
      from pg_stat_user_tables
     order by pg_total_relation_size(relid) desc
     limit 8`)
  return rows.map(({ name, bytes }) => ({ name, bytes: Number(bytes) }))
}
