import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fetchedPackages, librariesIn } from '../archives.mjs'
import { certificatesIn, makeCertificates } from '../certificates.mjs'
import { readConfig } from '../lifecycle.mjs'
import { isAnyOpen } from '../ports.mjs'
import { waitUntil } from '../process.mjs'

/** RabbitMQ and its Erlang from Debian's packages, unpacked and not installed. */
export const rabbitmq = {
  name: 'rabbitmq',
  variable: 'RABBITMQ_URL',
  usualPort: 5672,
  needs: 'a Debian or Ubuntu with its package archive in reach, and openssl for certificates',
  ports: ['amqp', 'amqps', 'distribution', 'epmd'],
  readyWithinMs: 300_000,

  async install(log) {
    const finish = async (folder) => {
      await rm(join(folder, 'usr/share'), { recursive: true })
      await makeRelocatable(join(folder, 'usr/lib/erlang/bin/erl'))
    }
    const wanted = { packages: ['rabbitmq-server'], own: ['rabbitmq', 'erlang'], log, finish }
    const home = await fetchedPackages('rabbitmq', wanted)
    return { version: await versionIn(home), home }
  },

  async launch({ home, version, folder, ports, start }) {
    const data = join(folder, `data-${version}`)
    await mkdir(data, { recursive: true })
    const certificates = await makeCertificates(folder)
    const config = readConfig('rabbitmq.conf', { ...ports, certificates })
    await writeFile(join(folder, 'rabbitmq.conf'), config)
    await writeFile(join(folder, 'enabled_plugins'), '[].\n')
    const erlang = join(home, 'usr/lib/erlang/bin')
    const env = environment({ home, erlang, folder, data, ports })

    // Erlang's port mapper. Left to itself RabbitMQ would start one that outlives it, at the
    // port that any other Erlang on the machine uses too.
    const mapper = ['-port', String(ports.epmd), '-address', '127.0.0.1']
    await start(join(erlang, 'epmd'), mapper, { env, name: join(folder, 'epmd') })
    const mapperAddress = { host: '127.0.0.1', port: ports.epmd }
    await waitUntil(() => isAnyOpen([mapperAddress]), { withinMs: 10_000 })

    // Erlang ignores the second flag, which makes the process recognisable as ours. The first
    // takes back RABBITMQ_ALLOW_INPUT's input.
    const flags = ['-noinput', '-posthorn', `${folder}/`]
    await start(join(serverIn(home, version), 'sbin/rabbitmq-server'), flags, { env })
  },

  probe: (ports) => probeRabbitmq(ports.amqp),

  env(ports, folder) {
    return {
      RABBITMQ_URL: `amqp://guest:guest@127.0.0.1:${ports.amqp}`,
      RABBITMQ_SECURE_URL: `amqps://guest:guest@127.0.0.1:${ports.amqps}`,
      RABBITMQ_CERTIFICATES: certificatesIn(folder),
    }
  },
}

/** What a cluster of them is started with: its programs, and the environment of one node. */
export async function ensureRabbitmq({ log = console.error } = {}) {
  const { home, version } = await rabbitmq.install(log)
  const erlang = join(home, 'usr/lib/erlang/bin')
  return {
    version,
    epmd: join(erlang, 'epmd'),
    server: join(serverIn(home, version), 'sbin/rabbitmq-server'),
    env: ({ folder, ports }) =>
      environment({ home, erlang, folder, data: join(folder, 'data'), ports }),
  }
}

/** Debian's `erl` looks for Erlang at a fixed place; let it look where it is itself. */
async function makeRelocatable(script) {
  const text = await readFile(script, 'utf8')
  const here = 'ROOTDIR=$(dirname "$(dirname "$(readlink -f "$0")")")'
  const changed = text.replaceAll('ROOTDIR=/usr/lib/erlang', here)
  if (changed === text) throw new Error(`${script} is not as expected; RabbitMQ would not start.`)
  await writeFile(script, changed)
}

async function versionIn(home) {
  const folders = await readdir(join(home, SERVERS))
  const versions = folders.map((name) => /^rabbitmq_server-(.+)$/.exec(name)?.[1])
  return versions.find((version) => version !== undefined)
}

const SERVERS = 'usr/lib/rabbitmq/lib'

function serverIn(home, version) {
  return join(home, SERVERS, `rabbitmq_server-${version}`)
}

function environment({ home, erlang, folder, data, ports }) {
  return {
    PATH: `${erlang}:${process.env.PATH}`,
    ...librariesIn(home),
    // Erlang keeps its cookie in the home folder; this node shares it with no other.
    HOME: folder,
    LC_ALL: 'C.UTF-8',
    // Its log says why a start failed; a dump of the whole memory does not.
    ERL_CRASH_DUMP_SECONDS: '0',
    ERL_EPMD_PORT: String(ports.epmd),
    ERL_EPMD_ADDRESS: '127.0.0.1',
    RABBITMQ_NODENAME: 'posthorn@localhost',
    RABBITMQ_DIST_PORT: String(ports.distribution),
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: '-kernel inet_dist_use_interface {127,0,0,1}',
    RABBITMQ_MNESIA_BASE: data,
    RABBITMQ_LOG_BASE: folder,
    RABBITMQ_CONFIG_FILE: join(folder, 'rabbitmq.conf'),
    RABBITMQ_ADVANCED_CONFIG_FILE: join(folder, 'advanced.config'),
    RABBITMQ_ENABLED_PLUGINS_FILE: join(folder, 'enabled_plugins'),
    // Not there, and so not the system's.
    RABBITMQ_CONF_ENV_FILE: join(folder, 'rabbitmq-env.conf'),
    // Makes the start script become the server, instead of waiting for it: one pid, and a
    // SIGKILL to it is a crash of the broker.
    RABBITMQ_ALLOW_INPUT: 'true',
  }
}

/** Rejects unless the broker lets guest in. */
async function probeRabbitmq(port) {
  const { AMQPClient } = await import('@cloudamqp/amqp-client')
  const client = new AMQPClient(`amqp://guest:guest@127.0.0.1:${port}`)
  client.onerror = () => undefined
  const connected = client.connect()
  const { socket } = client
  // Accepted, and then silence: it is on its way up, or down.
  socket.setTimeout(2000)
  try {
    await connected
    await client.close()
  } finally {
    socket.destroy()
  }
}
