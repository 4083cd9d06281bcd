import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { AMQPClient } from '@cloudamqp/amqp-client'
import { createTcpProxy, type TcpProxy } from '@posthorn/engine/testing'
import { ensureRabbitmq, freePorts, readConfig } from '../../scripts/services/index.mjs'
import { startBrokers, type BrokerCluster } from './broker-cluster.ts'
import { openMesh, type Mesh } from './lines.ts'
import { startProgram, type Program } from '../kit/servers/program.ts'

const NAMES = ['one', 'two', 'three']
const HOST = '127.0.0.1'
/** A node that is about to pause may take a connection and say nothing. */
const ANSWER_MS = 5_000

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
  const nodes = NAMES.map(
    (name, i) => `cluster_formation.classic_config.nodes.${i + 1} = ${name}@localhost`,
  ).join('\n')
  const mappers: TcpProxy[] = []
  const made: Node[] = []
  for (const [place, name] of NAMES.entries()) {
    const ports = allPorts[place] as { amqp: number; distribution: number }
    const ownMapper = await openMapper({ epmd, place, distribution, mesh })
    mappers.push(ownMapper)
    const own = join(home, name)
    await mkdir(own, { recursive: true })
    const config = readConfig(new URL('rabbitmq.conf', import.meta.url), {
      port: ports.amqp,
      nodes,
    })
    await writeFile(join(own, 'rabbitmq.conf'), config)
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
  const urlOf = (hosts: string) => `amqp://guest:guest@${hosts}`
  return startBrokers({
    version: `RabbitMQ ${programs.version}`,
    names: NAMES.map((name) => `RabbitMQ ${name}`),
    ...{ mesh, signal, pausesAlone: true, joinsOneByOne: true },
    env: { RABBITMQ_URL: urlOf(made.map(({ port }) => `${HOST}:${port}`).join()) },
    startNode: (place) => (made[place] as Node).start(),
    takesClients(place) {
      const asked = answers(urlOf(`${HOST}:${made[place]?.port}`)).catch(() => false)
      return Promise.race([asked, sleep(ANSWER_MS, false)])
    },
    async close() {
      await Promise.all(mappers.map((each) => each.close()))
      await mapper.kill()
    },
  })
}

interface Node {
  readonly port: number
  start(): Program
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
