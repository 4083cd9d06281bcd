import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fetchedPackages, librariesIn, versionOf } from '../archives.mjs'
import { readConfig } from '../lifecycle.mjs'
import { probeText } from '../ports.mjs'

const HOST = '127.0.0.1'
// The server, and what it is linked with: its like in the system may be of another version.
const OWN = ['redis', 'libjemalloc', 'liblua5.1', 'liblzf', 'lua-']

/** Redis with an append-only file, from Debian's packages. */
export const redis = {
  name: 'redis',
  variable: 'REDIS_URL',
  usualPort: 6379,
  needs: 'a Debian or Ubuntu with its package archive in reach',
  ports: ['redis'],
  readyWithinMs: 120_000,

  async install(log) {
    const home = await fetchedPackages('redis', { packages: ['redis-server'], own: OWN, log })
    const version = await versionOf(programIn(home), ['--version'], librariesIn(home))
    return { version, home }
  },

  async launch({ home, folder, ports, start }) {
    const data = join(folder, 'data')
    await mkdir(data, { recursive: true })
    const config = join(folder, 'redis.conf')
    await writeFile(config, readConfig('redis.conf', { data, port: ports.redis }))
    await start(programIn(home), [config], { env: librariesIn(home) })
  },

  probe: (ports) =>
    probeText({ host: HOST, port: ports.redis }, { tell: 'PING\r\n', hear: '+PONG' }),

  env: (ports) => ({ REDIS_URL: `redis://${HOST}:${ports.redis}` }),
}

function programIn(home) {
  return join(home, 'usr/bin/redis-server')
}
