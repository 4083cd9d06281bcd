import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fetchedPackages, librariesIn, versionOf } from '../archives.mjs'
import { readConfig } from '../lifecycle.mjs'
import { isAnyOpen } from '../ports.mjs'

const HOST = '127.0.0.1'

/** PgBouncer in transaction mode in front of a PostgreSQL, from Debian's package. */
export function pgbouncer(databaseUrl) {
  return {
    name: 'pgbouncer',
    needs: 'a Debian or Ubuntu with its package archive in reach',
    ports: ['pgbouncer'],
    readyWithinMs: 120_000,

    async install(log) {
      const wanted = { packages: ['pgbouncer'], own: ['pgbouncer'], log }
      const home = await fetchedPackages('pgbouncer', wanted)
      const version = await versionOf(programIn(home), ['--version'], librariesIn(home))
      return { version, home }
    },

    async launch({ home, folder, ports, start }) {
      await mkdir(folder, { recursive: true })
      const config = join(folder, 'pgbouncer.ini')
      await writeFile(config, configuration(databaseUrl, ports.pgbouncer), { mode: 0o600 })
      // It refuses to run as root, and gives that up itself once it has read its file.
      const account = process.getuid?.() === 0 ? ['-u', 'nobody'] : []
      await start(programIn(home), [...account, config], { env: librariesIn(home) })
    },

    async probe(ports) {
      const isOpen = await isAnyOpen([{ host: HOST, port: ports.pgbouncer }])
      if (!isOpen) throw new Error('PgBouncer does not answer')
    },

    env(ports) {
      const url = new URL(databaseUrl)
      url.hostname = HOST
      url.port = String(ports.pgbouncer)
      return { DATABASE_URL: url.href }
    },
  }
}

/** Every database of the server; clients come in without a password, the server gets its own. */
function configuration(databaseUrl, port) {
  const { hostname, port: serverPort, username, password } = new URL(databaseUrl)
  const quoted = (text) => `'${decodeURIComponent(text).replaceAll("'", "''")}'`
  const login = `user=${quoted(username)} password=${quoted(password)}`
  const server = { hostname, serverPort: serverPort || 5432, login }
  return readConfig('pgbouncer.ini', { ...server, port })
}

function programIn(home) {
  return join(home, 'usr/sbin/pgbouncer')
}
