import { temporaryPostgres } from '@posthorn/postgres'
import { Client, Pool } from 'pg'
import { createDatabase as createEmptyDatabase, onClient } from '../../proof/kit/database.ts'

/** The server of a run. */
export interface Server {
  readonly url: string
  /** Its version and what bears on speed, as the server itself says. */
  readonly settings: Readonly<Record<string, string>>
  stop(): Promise<void>
}

/** A database of one contestant in one round. */
export interface Database {
  readonly url: string
  /** For the harness's own statements. */
  readonly pool: Pool
  drop(): Promise<void>
}

// Durable, as in production. What is taken away is what would hit one contestant and not the next:
// a checkpoint or an autovacuum in the middle of a run of seconds.
const SETTINGS = {
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  shared_buffers: '512MB',
  max_wal_size: '16GB',
  min_wal_size: '2GB',
  checkpoint_timeout: '1h',
  autovacuum: 'off',
  max_connections: '200',
}

const SHOWN = [
  'server_version',
  'fsync',
  'synchronous_commit',
  'full_page_writes',
  'shared_buffers',
  'max_wal_size',
  'checkpoint_timeout',
  'autovacuum',
  'autovacuum_naptime',
]

/** `DATABASE_URL` if there is one, else a temporary server with the settings above. */
export async function startServer(overrides: Readonly<Record<string, string>>): Promise<Server> {
  const given = process.env['DATABASE_URL']
  const own = given
    ? undefined
    : await temporaryPostgres({ settings: { ...SETTINGS, ...overrides } })
  const url = given ?? own?.url ?? ''
  const settings = await onClient(url, showSettings)
  return { url, settings, stop: async () => own?.close() }
}

async function showSettings(client: Client): Promise<Record<string, string>> {
  const { rows } = await client.query<{ name: string; setting: string }>(
    `select name, current_setting(name) as setting from pg_settings where name = any($1)`,
    [SHOWN],
  )
  const found = new Map(rows.map((row) => [row.name, row.setting]))
  return Object.fromEntries(SHOWN.map((name) => [name, found.get(name) ?? '?']))
}

const HARNESS = 'bench harness'

let databases = 0

/** An empty database with `synchronous_commit` on, regardless of the server's default. */
export async function createDatabase(server: Server): Promise<Database> {
  databases += 1
  const name = `bench_${process.pid}_${databases}`
  const url = await createEmptyDatabase(server.url, name, 'template template0')
  const durable = `alter database ${name} set synchronous_commit = on`
  await onClient(server.url, (client) => client.query(durable))
  const pool = new Pool({ connectionString: url, max: 2, application_name: HARNESS })
  // Its end is told before its connections are closed: the database may be dropped first.
  pool.on('error', () => undefined)
  return {
    url,
    pool,
    async drop() {
      try {
        await untilAlone(pool)
      } finally {
        // A pool that outlives its server ends the process, and hides what was wrong.
        await pool.end()
      }
      await onClient(server.url, (client) => client.query(`drop database ${name} with (force)`))
    },
  }
}

/** Brings a database to rest before a measurement: statistics fresh, nothing left to write. */
export async function rest({ pool }: Database): Promise<void> {
  await pool.query('vacuum (analyze)')
  await pool.query('checkpoint')
}

/** Where the server's write-ahead log ends now. */
export async function walPosition({ pool }: Database): Promise<string> {
  const { rows } = await pool.query<{ lsn: string }>('select pg_current_wal_lsn() as lsn')
  return rows[0]?.lsn ?? '0/0'
}

/** Bytes written to the log since `position`, by all sessions of the server. */
export async function walBytesSince({ pool }: Database, position: string): Promise<number> {
  const { rows } = await pool.query<{ bytes: string }>(
    'select pg_wal_lsn_diff(pg_current_wal_lsn(), $1::pg_lsn) as bytes',
    [position],
  )
  return Number(rows[0]?.bytes)
}

/**
 * Dead rows in all tables of the database. Sessions hand in their counts when they end, so this
 * waits until the contestant's are gone.
 */
export async function deadTuples({ pool }: Database): Promise<number> {
  await untilAlone(pool)
  return deadTuplesNow(pool)
}

/** The same as far as sessions have handed it in. */
export async function deadTuplesNow(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ dead: string }>(
    'select coalesce(sum(n_dead_tup), 0) as dead from pg_stat_user_tables',
  )
  return Number(rows[0]?.dead)
}

/** A connection whose transaction has read something, and so keeps every row version since. */
export async function holdSnapshot({ url }: Database): Promise<Client> {
  const client = new Client(url)
  await client.connect()
  await client.query('begin isolation level repeatable read')
  await client.query('select count(*) from pg_class')
  return client
}

async function untilAlone(pool: Pool): Promise<void> {
  let left: string | undefined
  for (let tries = 0; tries < 500; tries += 1) {
    const { rows } = await pool.query<{ left: string | null }>(
      `select string_agg(coalesce(state, 'starting') || ' since ' || coalesce(now() - state_change, '0')::text || ': ' || left(query, 200), '; ') as left
         from pg_stat_activity
        where datname = current_database()
          and backend_type = 'client backend'
          and application_name <> $1`,
      [HARNESS],
    )
    left = rows[0]?.left ?? undefined
    if (left === undefined) return
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  throw new Error(`connections of a contestant are still open: ${left}`)
}
