import { isIPv4 } from 'node:net'
import { Client } from 'pg'
import { splitHosts } from '../database/database-hosts.ts'

const MODES: readonly string[] = ['development', 'test', 'production']

/**
 * Whether the process runs in production. A word that is no mode is not development either: see
 * `modeMistakes`.
 */
export function isProduction(env: NodeJS.ProcessEnv): boolean {
  return env['NODE_ENV'] === 'production'
}

/** A misspelt mode must not fall back to development, where everybody knows the way in. */
export function modeMistakes({ NODE_ENV: mode }: NodeJS.ProcessEnv): string[] {
  if (!mode || MODES.includes(mode)) return []
  return [`NODE_ENV must be development, test or production, or unset, not "${mode.slice(0, 100)}"`]
}

/** Development prints a token and opens simulators: a database elsewhere is probably not for that. */
export function remoteMistakes(databaseUrl: string | undefined): string[] {
  const host = findRemoteHost(databaseUrl)
  if (host === undefined) return []
  return [
    `DATABASE_URL is on ${host}, another machine: set NODE_ENV=production, ` +
      'or POSTHORN_REMOTE_DEVELOPMENT=true to use it in development mode',
  ]
}

/** The first host of an address that is not this machine. An address that does not parse has none. */
function findRemoteHost(url: string | undefined): string | undefined {
  if (url === undefined) return undefined
  try {
    // The driver's own reading, which knows ?host= and PGHOST too. It connects to nothing here.
    const hosts = splitHosts(url).map((each) => new Client({ connectionString: each }).host)
    return hosts.find((host) => !isLocal(host))
  } catch {
    return undefined
  }
}

function isLocal(host: string): boolean {
  if (host.startsWith('/') || host === '::1' || host.toLowerCase() === 'localhost') return true
  return isIPv4(host) && host.startsWith('127.')
}
