import type { Pool } from 'pg'

/** What the server says it is, e.g. `18.4`. */
export async function serverVersion(pool: Pool): Promise<string> {
  const { rows } = await pool.query<{ server_version: string }>('show server_version')
  return rows[0]?.server_version ?? 'of an unknown version'
}
