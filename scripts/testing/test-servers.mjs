// What the tests talk to and is not given by the environment: PostgreSQL, and the brokers and the
// file store of scripts/services. Vitest's global set-up.

import { once } from 'node:events'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { postgresPrograms } from '../services/servers/postgres.mjs'
import { serviceNames, serviceWith, startServices } from '../services/index.mjs'

// As Node reads it: Vitest's way of reading modules does not find the programs of PostgreSQL.
const { temporaryPostgres } = createRequire(import.meta.url)('@posthorn/postgres')

const names = ['postgres', ...serviceNames]

/**
 * Starts a server when the first test asks for one of its variables, over HTTP at the address in
 * `env`; or before, by `start`, which tells what cannot be had in `failures`, by name. `stop` ends
 * what was started here.
 */
export async function openTestServers() {
  const started = new Map()
  const have = (name) => {
    if (!started.has(name)) started.set(name, haveServer(name))
    return started.get(name)
  }
  const answer = async (variable) => {
    const name = variable === 'DATABASE_URL' ? 'postgres' : serviceWith(variable)
    return name === undefined ? {} : ((await have(name)).env ?? {})
  }
  const asked = createServer((request, response) => {
    void answer(request.url.slice(1)).then((env) => response.end(JSON.stringify(env)))
  })
  await once(asked.listen(0, '127.0.0.1').unref(), 'listening')
  return {
    env: { POSTHORN_TEST_SERVERS: `http://127.0.0.1:${asked.address().port}` },
    async start() {
      const found = await Promise.all(names.map(have))
      const merged = (part) => Object.assign({}, ...found.map((each) => each[part]))
      return { env: merged('env'), versions: merged('versions'), failures: merged('failures') }
    },
    async stop() {
      asked.close()
      const ends = [...started.values()].map(async (server) => (await server).stop?.())
      for (const { reason } of await Promise.allSettled(ends)) if (reason) console.error(reason)
    },
  }
}

async function haveServer(name) {
  const start = name === 'postgres' ? startPostgres() : startServices({ names: [name] })
  const server = await start.catch((error) => ({ failures: { [name]: error.message } }))
  for (const reason of Object.values(server.failures)) {
    console.error(`\n!!! ${name} is missing, and what needs it is not tested: ${reason}\n`)
  }
  return server
}

async function startPostgres() {
  const given = process.env.DATABASE_URL
  if (given) return { env: { DATABASE_URL: given }, failures: {} }
  const major = process.env.POSTHORN_TEST_POSTGRES
  const programs = await postgresPrograms(major)
  const { file_copy_method: clone, ...older } = SETTINGS
  const settings = programs === undefined ? { ...older, file_copy_method: clone } : older
  const { url, version, close } = await temporaryPostgres({
    settings,
    ...(programs !== undefined && { programs }),
  })
  const env = { DATABASE_URL: url }
  return { env, versions: { postgres: version }, failures: {}, stop: close }
}

// Tests kill processes, never the machine: what the kernel has taken is not lost with them.
// Every file clones a database: the kernel does it, and pages need not be whole in the log.
// No plan changes by an analyze that comes at its own time.
const SETTINGS = {
  ...{ fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' },
  ...{ file_copy_method: 'clone', autovacuum: 'off', jit: 'off', max_connections: 300 },
}

// A JVM that lives for minutes is not worth the compiler for long runs.
process.env.JAVA_TOOL_OPTIONS ??= '-XX:TieredStopAtLevel=1 -XX:+UseSerialGC'

/** For Vitest: the servers of this run, unless whoever started it has them. */
export async function setup() {
  if (process.env.POSTHORN_TEST_SERVERS) return undefined
  const { env, stop } = await openTestServers()
  Object.assign(process.env, env)
  return async () => {
    delete process.env.POSTHORN_TEST_SERVERS
    await stop()
  }
}
