import { randomUUID } from 'node:crypto'
import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Admin } from '@platformatic/kafka'
import { ensureKafka, freePorts } from '../../scripts/services/index.mjs'
import type { BrokerCluster } from './broker-cluster.ts'
import { openMesh } from './mesh.ts'
import { startProgram, until, type Program } from '../kit/servers/program.ts'

const run = promisify(execFile)
const NODES = [1, 2, 3]
const START_MS = 180_000
const HOST = '127.0.0.1'

interface Ports {
  readonly broker: number
  /** For the other brokers. */
  readonly internal: number
  readonly controller: number
}

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
  const ports: Ports[] = []
  for (const _ of NODES) ports.push(await freePorts(['broker', 'internal', 'controller']))
  const hostsFile = (place: number) =>
    `-Djdk.net.hosts.file=${join(home, String(NODES[place]), 'hosts')}`
  const clusterId = Buffer.from(randomUUID().replaceAll('-', ''), 'hex').toString('base64url')
  const configs: string[] = []
  for (const [place, node] of NODES.entries()) {
    const own = join(home, String(node))
    await mkdir(own, { recursive: true })
    const config = join(own, 'server.properties')
    await writeFile(config, properties({ node, place, data: join(own, 'data'), ports }))
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
  const running: (Program | undefined)[] = []
  const cluster: BrokerCluster = {
    version: `Kafka ${version}`,
    size: NODES.length,
    env: { KAFKA_BROKERS: ports.map(({ broker }) => `${HOST}:${broker}`).join() },
    async kill(place) {
      await running[place]?.kill()
    },
    async start(place) {
      const heap = ['-Xmx256m', '-Xms128m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1']
      running[place] = startProgram({
        command: java,
        args: [...heap, hostsFile(place), ...classPath, 'kafka.Kafka', configs[place] ?? ''],
        env: {},
        logFile: join(folder, `kafka-${NODES[place]}.log`),
        cwd: home,
      })
    },
    cutOff: (place) => mesh.cutOff(place),
    heal: () => mesh.heal(),
    pausesAlone: false,
    takesClients: (place) =>
      isRegistered(NODES[place] ?? 0, `${HOST}:${ports[place]?.broker}`).catch(() => false),
    async awaitReady(place) {
      const isIn = () => cluster.takesClients(place)
      await until(`Kafka ${NODES[place]}`, isIn, { withinMs: START_MS, signal })
    },
    async stop() {
      for (const program of running) await program?.kill()
      mesh.close()
    },
  }
  try {
    for (const place of NODES.keys()) await cluster.start(place)
    for (const place of NODES.keys()) await cluster.awaitReady(place)
  } catch (error) {
    await cluster.stop()
    throw error
  }
  return cluster
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

interface NodeOptions {
  readonly node: number
  readonly place: number
  readonly data: string
  readonly ports: readonly Ports[]
}

function properties({ node, place, data, ports }: NodeOptions): string {
  const own = ports[place]
  const voters = ports
    .map(({ controller }, i) => `${NODES[i]}@${nameOf(NODES[i] ?? 0)}:${controller}`)
    .join()
  const name = nameOf(node)
  return `process.roles=broker,controller
node.id=${node}
controller.quorum.voters=${voters}
listeners=PLAINTEXT://${HOST}:${own?.broker},INTERNAL://${HOST}:${own?.internal},CONTROLLER://${HOST}:${own?.controller}
advertised.listeners=PLAINTEXT://${HOST}:${own?.broker},INTERNAL://${name}:${own?.internal},CONTROLLER://${name}:${own?.controller}
controller.listener.names=CONTROLLER
inter.broker.listener.name=INTERNAL
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,INTERNAL:PLAINTEXT,CONTROLLER:PLAINTEXT
log.dirs=${data}
auto.create.topics.enable=true
num.partitions=4
group.initial.rebalance.delay.ms=0
default.replication.factor=3
min.insync.replicas=2
offsets.topic.replication.factor=3
offsets.topic.num.partitions=4
transaction.state.log.replication.factor=3
transaction.state.log.min.isr=2
transaction.state.log.num.partitions=4
share.coordinator.state.topic.replication.factor=3
share.coordinator.state.topic.min.isr=2
share.coordinator.state.topic.num.partitions=4
`
}
