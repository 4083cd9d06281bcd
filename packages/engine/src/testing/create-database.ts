import { createHash, randomBytes } from 'node:crypto'
import { Pool, type PoolConfig } from 'pg'
import { engineMigrations, migrate, type MigrationSet } from '../database/migrate.ts'

export interface TestDatabase {
  readonly url: string
  readonly name: string
  readonly pool: Pool
  /** A further pool on the same database, closed with it. */
  connect(config?: PoolConfig): Pool
  close(): Promise<void>
}

/** What a database of tests is made of. */
export interface TestDatabaseOptions {
  /** Those of the host, after the engine's. */
  readonly migrations?: readonly MigrationSet[]
  /** What else every database of this kind has. */
  readonly sql?: string
}

/** A database that its maker drops. */
export interface DroppableDatabase extends TestDatabase, AsyncDisposable {
  /** Closes its pools and drops it. Throws if a connection is left: a relay that was not stopped. */
  drop(): Promise<void>
}

/**
 * A migrated database, cloned from a template on the server of DATABASE_URL: for any test runner. The
 * template is made once, and again when a migration changes.
 */
export async function createTestDatabase(
  options: TestDatabaseOptions = {},
): Promise<DroppableDatabase> {
  const server = await serverUrl()
  const sets = [await engineMigrations(), ...(options.migrations ?? [])]
  const template = await templateOf(server, sets, options.sql ?? '')
  const name = `posthorn_test_${randomBytes(6).toString('hex')}`
  await onServer(server, (admin) => cloneDatabase(admin, template, name))
  const database = openDatabase(server, name)
  const drop = async () => {
    await database.close()
    await dropUnused(server, name)
  }
  return { ...database, drop, [Symbol.asyncDispose]: drop }
}

function openDatabase(server: string, name: string): TestDatabase {
  const url = withDatabase(server, name)
  const pools: Pool[] = []
  const connect = (config: PoolConfig = {}) => {
    const pool = new Pool({ connectionString: url, max: 10, ...config })
    // Tests that stop the server or cut connections must not die of an idle one.
    pool.on('error', () => undefined)
    pools.push(pool)
    return pool
  }
  return {
    url,
    name,
    pool: connect(),
    connect,
    async close() {
      await Promise.all(pools.filter((pool) => !pool.ended).map((pool) => pool.end()))
    },
  }
}

/**
 * Makes the template once for all files and workers; the advisory lock lets one of them do it. It
 * begins as a clone of the next simpler one: the engine's migrations run once, not for each system.
 */
async function templateOf(
  server: string,
  sets: readonly MigrationSet[],
  extra: string,
): Promise<string> {
  const content = sets.flatMap((set) =>
    set.migrations.map((each) => `${set.name}/${each.checksum}`),
  )
  const hash = createHash('sha256').update(content.join()).update(extra).digest('hex').slice(0, 12)
  const template = `posthorn_template_${hash}`
  if (await onServer(server, (admin) => hasDatabase(admin, template))) return template
  const simpler = extra !== '' ? sets : sets.slice(0, 1)
  const from = extra !== '' || sets.length > 1 ? await templateOf(server, simpler, '') : 'template1'
  await onServer(server, async (admin) => {
    await admin.query('select pg_advisory_lock(4600)')
    if (await hasDatabase(admin, template)) return
    const draft = `${template}_draft`
    await admin.query(`drop database if exists ${draft} with (force)`)
    await cloneDatabase(admin, from, draft)
    const pool = openQuietly(withDatabase(server, draft))
    try {
      await migrate(pool, sets)
      if (extra !== '') await pool.query(extra)
    } finally {
      await pool.end()
    }
    // Renamed last: a template that exists is complete, even after a kill.
    await admin.query(`alter database ${draft} rename to ${template}`)
  })
  return template
}

async function hasDatabase(admin: Pool, name: string): Promise<boolean> {
  const { rows } = await admin.query('select 1 from pg_database where datname = $1', [name])
  return rows.length > 0
}

/** By copying files, where the server can choose: the write-ahead log of all the pages costs five times that. */
async function cloneDatabase(admin: Pool, template: string, name: string): Promise<void> {
  const { rows } = await admin.query<{ version: number }>(
    `select current_setting('server_version_num')::int as version`,
  )
  const strategy = rows.some(({ version }) => version >= 150_000) ? 'strategy file_copy' : ''
  await admin.query(`create database ${name} template ${template} ${strategy}`)
}

/** A connection that outlives its test is a relay that the test did not stop: that is a failure. */
async function dropUnused(server: string, name: string): Promise<void> {
  await onServer(server, async (admin) => {
    // A backend goes a moment after its connection was closed.
    let open: { query: string }[] = []
    for (let look = 0; look < 30; look += 1) {
      open = (await admin.query<{ query: string }>(OPEN_CONNECTIONS, [name])).rows
      if (open.length === 0) break
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    await admin.query(`drop database if exists ${name} with (force)`)
    if (open.length > 0) {
      throw new Error(
        `${open.length} connection(s) were left open, is a relay still running? Last query: ${open[0]?.query}`,
      )
    }
  })
}

const OPEN_CONNECTIONS = `
  select query from pg_stat_activity where datname = $1 and backend_type = 'client backend'`

async function onServer<Result>(
  server: string,
  work: (admin: Pool) => Promise<Result>,
): Promise<Result> {
  const admin = openQuietly(server)
  try {
    return await work(admin)
  } finally {
    await admin.end()
  }
}

/** An idle connection that dies is replaced; without a listener its error, client and all, would be uncaught. */
function openQuietly(url: string): Pool {
  return new Pool({ connectionString: url, max: 1 }).on('error', () => undefined)
}

function withDatabase(server: string, name: string): string {
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}

async function serverUrl(): Promise<string> {
  const url = await serverAddress('DATABASE_URL')
  if (url !== '') return url
  throw new Error(
    'No database for the tests: set DATABASE_URL to a PostgreSQL where databases may be made; ' +
      '`temporaryPostgres` of @posthorn/postgres starts one, in a global set-up for instance.',
  )
}

/** What POSTHORN_TEST_SERVERS answers: the variables of a server, none if it cannot be had. */
type Variables = Readonly<Record<string, string>>

/**
 * The address of a server that tests need, by the variable that names it. Without that variable, the
 * run of the tests is asked at POSTHORN_TEST_SERVERS: it starts the server once for all processes. ''
 * if there is none. All variables of the server are set, for processes that inherit them.
 */
export async function serverAddress(variable: string): Promise<string> {
  const given = process.env[variable] ?? ''
  const servers = process.env['POSTHORN_TEST_SERVERS'] ?? ''
  if (given !== '' || servers === '') return given
  const response = await fetch(`${servers}/${variable}`)
  Object.assign(process.env, (await response.json()) as Variables)
  return process.env[variable] ?? ''
}
