import { mkdir } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { fillCache } from '../cache.mjs'
import { run } from '../command.mjs'
import { debianRelease, unpackPackages } from '../debian.mjs'

const HOST = '127.0.0.1'

/** NATS with JetStream, from Debian's package. */
export const nats = {
  name: 'nats',
  variable: 'NATS_URL',
  needs: 'a Debian or Ubuntu with its package archive in reach',
  ports: ['nats'],
  readyWithinMs: 120_000,

  async install(log) {
    const name = `nats-${await debianRelease()}-${process.arch}`
    const home = await fillCache(name, async (folder) => {
      log('nats: fetching, a few seconds the first time')
      await unpackPackages(['nats-server'], { folder, own: ['nats'] })
    })
    const said = await run(programIn(home), ['--version'])
    return { version: /v(\d\S*)/.exec(said)?.[1] ?? 'unknown', home }
  },

  async launch({ home, folder, ports, start }) {
    const data = join(folder, 'data')
    await mkdir(data, { recursive: true })
    const address = ['--addr', HOST, '--port', String(ports.nats)]
    await start(programIn(home), ['--jetstream', '--store_dir', data, ...address])
  },

  /** Rejects unless it greets as NATS servers do. */
  probe(ports) {
    return new Promise((resolve, reject) => {
      const socket = connect({ host: HOST, port: ports.nats, timeout: 2_000 })
      socket.once('data', (greeting) => {
        socket.destroy()
        if (String(greeting).startsWith('INFO ')) resolve()
        else reject(new Error('This is not a NATS server.'))
      })
      for (const event of ['error', 'timeout', 'close']) {
        socket.once(event, () => {
          socket.destroy()
          reject(new Error('NATS does not answer'))
        })
      }
    })
  },

  env(ports) {
    return { NATS_URL: `nats://${HOST}:${ports.nats}` }
  },

  addresses(url) {
    return url
      .replace(/^\w+:\/\//, '')
      .split(',')
      .map((host) => {
        const { hostname, port } = new URL(`tcp://${host.trim()}`)
        return { host: hostname, port: Number(port) || 4222 }
      })
  },
}

function programIn(home) {
  return join(home, 'usr/sbin/nats-server')
}
