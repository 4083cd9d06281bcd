import { randomUUID } from 'node:crypto'
import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Admin } from '@platformatic/kafka'
import { ensureKafka, freePorts, readConfig } from '../../scripts/services/index.mjs'
import { startBrokers, type BrokerCluster } from './broker-cluster.ts'
import { openMesh } from './lines.ts'
import { startProgram } from '../kit/servers/program.ts'

const run = promisify(execFile)
const NODES = [1, 2, 3]
const HOST = '127.0.0.1'

const nameOf = (node: number) => `kafka-${node}`
/** Where a node finds another one: an address for each two of them, at which a line begins. */
const addressOf = (from: number, to: number) => (from === to ? HOST : `127.0.${from + 1}.${to + 1}`)

/**
 * Three Kafka that are brokers and controllers at once, with two copies of all that is acknowledged.
 * They know each other by names, which each of them looks up in a file of its own: so every two of them
 * talk by a line of their own. Clients need none.
 */
export async function startKafkaCluster(
  folder: string,
  signal: AbortSignal,
): Promise<BrokerCluster> {
  const { version, java, classPath } = await ensureKafka()
  const home = join(folder, 'brokers')
  // Internal ones are for the other brokers.
  const ports: Record<'broker' | 'internal' | 'controller', number>[] = []
  for (const _ of NODES) ports.push(await freePorts(['broker', 'internal', 'controller']))
  const hostsFile = (place: number) =>
    `-Djdk.net.hosts.file=${join(home, String(NODES[place]), 'hosts')}`
  const clusterId = Buffer.from(randomUUID().replaceAll('-', ''), 'hex').toString('base64url')
  const voters = ports
    .map(({ controller }, i) => `${NODES[i]}@${nameOf(NODES[i] ?? 0)}:${controller}`)
    .join()
  const configs: string[] = []
  for (const [place, node] of NODES.entries()) {
    const own = join(home, String(node))
    await mkdir(own, { recursive: true })
    const config = join(own, 'server.properties')
    const values = { node, name: nameOf(node), voters, data: join(own, 'data'), ...ports[place] }
    await writeFile(config, readConfig(new URL('kafka.properties', import.meta.url), values))
    const hosts = NODES.map((to, other) => `${addressOf(place, other)} ${nameOf(to)}`)
    const known = [`${HOST} localhost ${hostname()}`, ...hosts]
    await writeFile(join(own, 'hosts'), `${known.join('\n')}\n`)
    const format = ['format', '--cluster-id', clusterId.replace(/^-/, 'a'), '--config', config]
    await run(java, [...classPath, 'kafka.tools.StorageTool', ...format])
    configs.push(config)
  }
  const mesh = await openMesh({
    ports: ports.map(({ internal, controller }) => [internal, controller]),
    at: addressOf,
  })
  return startBrokers({
    version: `Kafka ${version}`,
    names: NODES.map((node) => `Kafka ${node}`),
    ...{ mesh, signal, pausesAlone: false, joinsOneByOne: false },
    env: { KAFKA_BROKERS: ports.map(({ broker }) => `${HOST}:${broker}`).join() },
    startNode(place) {
      const heap = ['-Xmx256m', '-Xms128m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1']
      return startProgram({
        command: java,
        args: [...heap, hostsFile(place), ...classPath, 'kafka.Kafka', configs[place] ?? ''],
        env: {},
        logFile: join(folder, `kafka-${NODES[place]}.log`),
        cwd: home,
      })
    },
    takesClients: (place) =>
      isRegistered(NODES[place] ?? 0, `${HOST}:${ports[place]?.broker}`).catch(() => false),
  })
}

/** Later than that it takes connections: a topic of three copies needs three that are registered. */
async function isRegistered(node: number, broker: string): Promise<boolean> {
  const admin = new Admin({ clientId: 'failover', bootstrapBrokers: [broker], retries: false })
  try {
    const { brokers } = await admin.metadata({ topics: [], forceUpdate: true })
    return brokers.has(node)
  } finally {
    await admin.close()
  }
}
