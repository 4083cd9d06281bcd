import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { AMQPClient } from '@cloudamqp/amqp-client'
import { createTcpProxy, type TcpProxy } from '@posthorn/engine/testing'
import { ensureRabbitmq, freePorts } from '../../scripts/services/index.mjs'
import type { BrokerCluster } from './broker-cluster.ts'
import { openMesh, type Mesh } from './mesh.ts'
import { startProgram, until, type Program } from '../kit/servers/program.ts'

const NAMES = ['one', 'two', 'three']
const START_MS = 180_000
const HOST = '127.0.0.1'
/** A node that is about to pause may take a connection and say nothing. */
const ANSWER_MS = 5_000
/** A node that has said nothing for so long is gone; the default is a minute. */
const TICK_SECONDS = 8

/** Three RabbitMQ of one cluster, which find each other by their names and talk by lines. */
export async function startRabbitmqCluster(
  folder: string,
  signal: AbortSignal,
): Promise<BrokerCluster> {
  const programs = await ensureRabbitmq()
  const home = join(folder, 'brokers')
  await mkdir(home, { recursive: true })
  // They trust each other by the same cookie.
  await writeFile(join(home, '.erlang.cookie'), 'FAILOVER', { mode: 0o400 })
  const { epmd } = await freePorts(['epmd'])
  const mapper = startProgram({
    command: programs.epmd,
    args: ['-port', String(epmd), '-address', HOST],
    argv0: `${home}/epmd`,
    env: { HOME: home },
    logFile: join(folder, 'epmd.log'),
    cwd: home,
  })
  const allPorts: { amqp: number; distribution: number }[] = []
  for (const _ of NAMES) allPorts.push(await freePorts(['amqp', 'distribution']))
  const distribution = allPorts.map((ports) => ports.distribution)
  const mesh = await openMesh({ ports: distribution.map((port) => [port]) })
  const mappers: TcpProxy[] = []
  const made: { readonly port: number; start(): Program }[] = []
  for (const [place, name] of NAMES.entries()) {
    const ports = allPorts[place] as { amqp: number; distribution: number }
    const ownMapper = await openMapper({ epmd, place, distribution, mesh })
    mappers.push(ownMapper)
    const own = join(home, name)
    await mkdir(own, { recursive: true })
    await writeFile(join(own, 'rabbitmq.conf'), configuration(ports.amqp))
    await writeFile(join(own, 'enabled_plugins'), '[].\n')
    made.push({
      port: ports.amqp,
      start: () =>
        startProgram({
          command: programs.server,
          args: ['-noinput', '-posthorn', `${own}/`],
          env: {
            ...programs.env({ folder: own, ports: { ...ports, epmd: ownMapper.port } }),
            HOME: home,
            RABBITMQ_NODENAME: `${name}@localhost`,
          },
          logFile: join(folder, `rabbitmq-${name}.log`),
          cwd: own,
        }),
    })
  }
  const running: (Program | undefined)[] = []
  const urlOf = (hosts: string) => `amqp://guest:guest@${hosts}`
  const cluster: BrokerCluster = {
    version: `RabbitMQ ${programs.version}`,
    size: NAMES.length,
    env: { RABBITMQ_URL: urlOf(made.map(({ port }) => `${HOST}:${port}`).join()) },
    async kill(place) {
      await running[place]?.kill()
    },
    async start(place) {
      running[place] = made[place]?.start()
    },
    cutOff: (place) => mesh.cutOff(place),
    heal: () => mesh.heal(),
    pausesAlone: true,
    takesClients(place) {
      const asked = answers(urlOf(`${HOST}:${made[place]?.port}`)).catch(() => false)
      return Promise.race([asked, sleep(ANSWER_MS, false)])
    },
    async awaitReady(place) {
      const isReady = () => cluster.takesClients(place)
      await until(`RabbitMQ ${NAMES[place]}`, isReady, { withinMs: START_MS, signal })
    },
    async stop() {
      for (const program of running) await program?.kill()
      await Promise.all(mappers.map((each) => each.close()))
      await mapper.kill()
      mesh.close()
    },
  }
  try {
    // The first one founds the cluster; the others join it.
    for (const place of NAMES.keys()) {
      await cluster.start(place)
      await cluster.awaitReady(place)
    }
  } catch (error) {
    await cluster.stop()
    throw error
  }
  return cluster
}

interface MapperOptions {
  readonly epmd: number
  /** Whose. */
  readonly place: number
  readonly distribution: readonly number[]
  readonly mesh: Mesh
}

/** What epmd answers where it was asked for a node: this, a result, and the node's port. */
const PORT_ANSWER = 119

/**
 * epmd for one node: where it says where another one is, it names the line. A list of names begins with
 * the port of the epmd that was asked, and Erlang compares it.
 */
function openMapper({ epmd, place, distribution, mesh }: MapperOptions) {
  return createTcpProxy({ host: HOST, port: epmd }, (line) => (bytes) => {
    if (bytes.length < 4) return bytes
    const changed = Buffer.from(bytes)
    if (bytes.readUInt32BE(0) === epmd) changed.writeUInt32BE(line.port, 0)
    if (bytes[0] !== PORT_ANSWER || bytes[1] !== 0) return changed
    const real = bytes.readUInt16BE(2)
    changed.writeUInt16BE(mesh.port(place, distribution.indexOf(real), real), 2)
    return changed
  })
}

async function answers(url: string): Promise<boolean> {
  const client = new AMQPClient(url)
  client.onerror = () => undefined
  await client.connect()
  await client.close()
  return true
}

/** A node that is left alone takes nothing: otherwise it would answer for a cluster that it is not. */
function configuration(port: number): string {
  const nodes = NAMES.map(
    (name, i) => `cluster_formation.classic_config.nodes.${i + 1} = ${name}@localhost`,
  )
  return `listeners.tcp.1 = ${HOST}:${port}
cluster_formation.peer_discovery_backend = classic_config
${nodes.join('\n')}
cluster_partition_handling = pause_minority
net_ticktime = ${TICK_SECONDS}
log.console = true
log.console.level = warning
log.console.use_colors = off
log.file = false
`
}
