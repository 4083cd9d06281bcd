import { temporaryPostgres } from '@posthorn/postgres'
import { ensureChromium, startServices } from './services/index.mjs'

/**
 * Starts what the tests talk to and is not given by the environment: PostgreSQL, and the brokers
 * and the file store of scripts/services; and finds a browser. What cannot be had is in `failures`,
 * by name.
 */
export async function startTestServers() {
  const [postgres, services, chromium] = await Promise.all([
    process.env.DATABASE_URL ? undefined : startPostgres(),
    startServices(),
    findChromium(),
  ])
  const database = postgres === undefined ? {} : { DATABASE_URL: postgres.url }
  return {
    env: { ...process.env, ...services.env, ...database, ...chromium.env },
    versions: { ...(postgres && { postgres: postgres.version }), ...services.versions },
    failures: { ...services.failures, ...chromium.failures },
    stop: async () => {
      const ends = await Promise.allSettled([postgres?.close(), services.stop()])
      for (const { status, reason } of ends) if (status === 'rejected') console.error(reason)
    },
  }
}

function startPostgres() {
  // Tests kill processes, never the machine: what the kernel has taken is not lost with them.
  // Every file clones a database: the kernel does it, and pages need not be whole in the log.
  const cheap = { fsync: 'off', full_page_writes: 'off', file_copy_method: 'clone' }
  return temporaryPostgres({ settings: { ...cheap, max_connections: 300 } })
}

async function findChromium() {
  try {
    return { env: { CHROMIUM_PATH: await ensureChromium() }, failures: {} }
  } catch (error) {
    return { env: {}, failures: { chromium: error.message } }
  }
}
