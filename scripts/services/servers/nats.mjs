import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fetchedPackages, versionOf } from '../archives.mjs'
import { probeText } from '../ports.mjs'

const HOST = '127.0.0.1'

/** NATS with JetStream, from Debian's package. */
export const nats = {
  name: 'nats',
  variable: 'NATS_URL',
  usualPort: 4222,
  needs: 'a Debian or Ubuntu with its package archive in reach',
  ports: ['nats'],
  readyWithinMs: 120_000,

  async install(log) {
    const home = await fetchedPackages('nats', { packages: ['nats-server'], own: ['nats'], log })
    return { version: await versionOf(programIn(home)), home }
  },

  async launch({ home, folder, ports, start }) {
    const data = join(folder, 'data')
    await mkdir(data, { recursive: true })
    const address = ['--addr', HOST, '--port', String(ports.nats)]
    await start(programIn(home), ['--jetstream', '--store_dir', data, ...address])
  },

  probe: (ports) => probeText({ host: HOST, port: ports.nats }, { hear: 'INFO ' }),

  env: (ports) => ({ NATS_URL: `nats://${HOST}:${ports.nats}` }),
}

function programIn(home) {
  return join(home, 'usr/sbin/nats-server')
}
