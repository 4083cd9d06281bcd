import { join } from 'node:path'
import { openPostgres } from '@posthorn/postgres'
import { Pool } from 'pg'
import type { Configuration } from './configuration.ts'
import { serverVersion } from './queries.ts'

export interface Database {
  readonly pool: Pool
  /** For people: where it is, without its password. */
  readonly where: string
  close(): Promise<void>
}

/** Opens the configured database, or the embedded one: started, joined or adopted. */
export async function openDatabase({ databaseUrl, dataFolder }: Configuration): Promise<Database> {
  if (databaseUrl !== undefined) {
    const pool = poolOf(databaseUrl)
    const where = `PostgreSQL ${await serverVersion(pool)} at ${new URL(databaseUrl).host}`
    return { pool, where, close: () => pool.end() }
  }
  const server = await openPostgres({ folder: join(dataFolder, 'postgres') })
  const pool = poolOf(server.url)
  return {
    pool,
    where: `embedded PostgreSQL ${server.version} in ${dataFolder} (${server.owner})`,
    close: async () => {
      await pool.end()
      await server.close()
    },
  }
}

function poolOf(connectionString: string): Pool {
  const pool = new Pool({ connectionString, max: 10, application_name: 'posthorn' })
  // An idle connection that dies is replaced at the next query; unheard, it would end the process.
  pool.on('error', () => undefined)
  return pool
}
