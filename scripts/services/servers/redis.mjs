import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { fillCache } from '../cache.mjs'
import { run } from '../command.mjs'
import { debianRelease, unpackPackages } from '../debian.mjs'

const HOST = '127.0.0.1'
// The server, and what it is linked with: its like in the system may be of another version.
const OWN = ['redis', 'libjemalloc', 'liblua5.1', 'liblzf', 'lua-']

/** Redis with an append-only file, from Debian's packages. */
export const redis = {
  name: 'redis',
  variable: 'REDIS_URL',
  needs: 'a Debian or Ubuntu with its package archive in reach',
  ports: ['redis'],
  readyWithinMs: 120_000,

  async install(log) {
    const name = `redis-${await debianRelease()}-${process.arch}`
    const home = await fillCache(name, async (folder) => {
      log('redis: fetching, a few seconds the first time')
      await unpackPackages(['redis-server'], { folder, own: OWN })
    })
    const said = await run(programIn(home), ['--version'], { env: await environment(home) })
    return { version: /v=(\d\S*)/.exec(said)?.[1] ?? 'unknown', home }
  },

  async launch({ home, folder, ports, start }) {
    const data = join(folder, 'data')
    await mkdir(data, { recursive: true })
    const config = join(folder, 'redis.conf')
    await writeFile(config, settings(data, ports.redis))
    await start(programIn(home), [config], { env: await environment(home) })
  },

  /** Rejects unless it answers as Redis does. */
  probe(ports) {
    return new Promise((resolve, reject) => {
      const socket = connect({ host: HOST, port: ports.redis, timeout: 2_000 })
      socket.once('connect', () => socket.write('PING\r\n'))
      socket.once('data', (answer) => {
        socket.destroy()
        if (String(answer).startsWith('+PONG')) resolve()
        else reject(new Error(`Redis says ${String(answer).trim()}`))
      })
      for (const event of ['error', 'timeout', 'close']) {
        socket.once(event, () => {
          socket.destroy()
          reject(new Error('Redis does not answer'))
        })
      }
    })
  },

  env(ports) {
    return { REDIS_URL: `redis://${HOST}:${ports.redis}` }
  },

  addresses(url) {
    const { hostname, port } = new URL(url)
    return [{ host: hostname, port: Number(port) || 6379 }]
  },
}

function programIn(home) {
  return join(home, 'usr/bin/redis-server')
}

/** Its libraries are unpacked beside it. */
async function environment(home) {
  const folders = await readdir(join(home, 'usr/lib'))
  const libraries = folders.filter((name) => name.includes('-linux-gnu'))
  return { LD_LIBRARY_PATH: libraries.map((name) => join(home, 'usr/lib', name)).join(':') }
}

/** The title it gives itself names its folder, by which a process is known to be ours. */
function settings(data, port) {
  return `bind ${HOST}
port ${port}
dir "${data}"
proc-title-template "{title} {config-file} {listen-addr}"
appendonly yes
# Only processes are killed, never the machine: what the kernel has taken is not lost with them.
appendfsync no
save ""
# A replica need not wait for others that might come.
repl-diskless-sync-delay 0
`
}
