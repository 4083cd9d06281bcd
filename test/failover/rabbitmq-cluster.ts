import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AMQPClient } from '@cloudamqp/amqp-client'
import { ensureRabbitmq, freePorts } from '../../scripts/services/index.mjs'
import type { BrokerCluster } from './broker-cluster.ts'
import { startProgram, until, type Program } from './program.ts'

const NAMES = ['one', 'two', 'three']
const START_MS = 180_000
const HOST = '127.0.0.1'

/** Three RabbitMQ of one cluster, which find each other by their names. */
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
  const made: { readonly port: number; start(): Program }[] = []
  for (const name of NAMES) {
    const ports = await freePorts(['amqp', 'distribution'])
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
            ...programs.env({ folder: own, ports: { ...ports, epmd } }),
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
    async awaitReady(place) {
      const url = urlOf(`${HOST}:${made[place]?.port}`)
      await until(`RabbitMQ ${NAMES[place]}`, () => answers(url), { withinMs: START_MS, signal })
    },
    async stop() {
      for (const program of running) await program?.kill()
      await mapper.kill()
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
log.console = true
log.console.level = warning
log.console.use_colors = off
log.file = false
`
}
