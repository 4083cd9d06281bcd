import { temporaryPostgres } from '@posthorn/postgres'
import { startServices } from './services/index.mjs'

/**
 * Starts what the tests talk to and is not given by the environment: PostgreSQL, and the brokers
 * and the file store of scripts/services. One that cannot be had is in `failures`, by name.
 */
export async function startTestServers() {
  const [postgres, services] = await Promise.all([
    process.env.DATABASE_URL ? undefined : startPostgres(),
    startServices(),
  ])
  const database = postgres === undefined ? {} : { DATABASE_URL: postgres.url }
  return {
    env: { ...process.env, ...services.env, ...database },
    versions: { ...(postgres && { postgres: postgres.version }), ...services.versions },
    failures: services.failures,
    stop: async () => {
      const ends = await Promise.allSettled([postgres?.close(), services.stop()])
      for (const { status, reason } of ends) if (status === 'rejected') console.error(reason)
    },
  }
}

function startPostgres() {
  // Tests kill processes, never the machine: what the kernel has taken is not lost with them.
  return temporaryPostgres({ settings: { fsync: 'off', max_connections: 300 } })
}
