import { join } from 'node:path'
import type { Log } from '@posthorn/engine'
import { startPeriodically } from '@posthorn/operate'
import { shareFairly } from '@posthorn/http'
import { openPostgres } from '@posthorn/postgres'
import { Pool } from 'pg'
import type { Configuration } from '../configuration/configuration.ts'
import { openHosts, splitHosts, type DatabaseHosts } from './database-hosts.ts'
import { serverVersion } from '../queries.ts'

export interface Database {
  /** For requests, consumers and all other work, which take turns. */
  readonly pool: Pool
  /** For people: where it is, without its password. */
  readonly where: string
  /**
   * A pool of its own for work that would starve the others, or be starved. A connection on which a
   * statement takes longer than `limitMs` is given up for another.
   */
  openPool(name: string, size: number, limitMs?: number): Pool
  close(): Promise<void>
}

export type DatabaseConfiguration = Pick<Configuration, 'databaseUrl' | 'dataFolder' | 'poolSize'>

/** Between two looks at whether the embedded database runs. */
const REVIVE_EVERY_MS = 2_000

/** Opens the configured database, or the embedded one: started, joined or adopted. */
export async function openDatabase(
  { databaseUrl, dataFolder, poolSize }: DatabaseConfiguration,
  log: Log,
): Promise<Database> {
  if (databaseUrl !== undefined) {
    const urls = splitHosts(databaseUrl)
    const hosts = urls.length > 1 ? await openHosts(urls, log) : undefined
    const pools = createPools({ connectionString: databaseUrl, ...hosts }, log)
    const close = async () => {
      hosts?.close()
      await pools.close()
    }
    const pool = shareFairly(pools.open('posthorn', poolSize))
    try {
      const { host } = new URL(hosts?.current() ?? databaseUrl)
      const others = urls.length > 1 ? `, one of ${urls.length}` : ''
      const where = `PostgreSQL ${await serverVersion(pool)} at ${host}${others}`
      return { pool, where, openPool: pools.open, close }
    } catch (error) {
      await close()
      throw error
    }
  }
  const server = await openPostgres({ folder: join(dataFolder, 'postgres') })
  const pools = createPools({ connectionString: server.url }, log)
  const revive = async () => {
    if (await server.revive()) log.warn({}, 'embedded PostgreSQL had stopped; it runs again')
  }
  const task = { name: 'embedded-postgres', everyMs: REVIVE_EVERY_MS, step: revive }
  const stopReviving = startPeriodically([task], { log })
  return {
    pool: shareFairly(pools.open('posthorn', poolSize)),
    where: `embedded PostgreSQL ${server.version} in ${dataFolder} (${server.owner})`,
    openPool: pools.open,
    close: async () => {
      await stopReviving()
      await pools.close()
      await server.close()
    },
  }
}

interface Where {
  readonly connectionString: string
  /** What connects, where there are several hosts. */
  readonly Client?: DatabaseHosts['Client']
}

function createPools({ connectionString, Client }: Where, log: Log) {
  const pools: Pool[] = []
  return {
    open(name: string, size: number, limitMs?: number): Pool {
      const pool = new Pool({
        ...(Client ? { Client } : { connectionString }),
        max: size,
        application_name: name,
        // A request waits this long for a connection, then says that the database is busy.
        connectionTimeoutMillis: 10_000,
        // A machine that vanished says no goodbye: a connection without an answer is asked after this.
        keepAlive: true,
        keepAliveInitialDelayMillis: 10_000,
        ...(limitMs !== undefined && { query_timeout: limitMs }),
      })
      // An idle connection that dies is replaced at the next query; unheard, it would end the process.
      pool.on('error', (error) =>
        log.warn({ err: error }, 'idle database connection lost; the pool replaces it'),
      )
      // One that dies between its handing out and the first line of its user: both may come in the same
      // bytes, and no promise is heard in between.
      pool.on('connect', (client) => client.on('error', () => undefined))
      pools.push(pool)
      return pool
    },
    async close() {
      await Promise.all(pools.map((pool) => pool.end()))
    },
  }
}
