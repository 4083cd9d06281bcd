import { chown, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from 'pg'
import { ensurePatroni, freePorts, readConfig } from '../../scripts/services/index.mjs'
import { openLines, type Line } from './lines.ts'
import { endAllIn, startProgram, type Program } from '../kit/servers/program.ts'
import { waitFor } from '../kit/waiting.ts'

/** How a standby must keep up before a commit is answered. */
export type Replication = 'synchronous' | 'asynchronous'

/** One PostgreSQL with its Patroni; others reach it by lines that can be cut. */
export interface PostgresNode {
  readonly name: string
  /** What clients are given. */
  readonly clients: Line
  /** What the other nodes are given, for replication. */
  readonly peers: Line
  /** Its way to etcd, and the others' to its Patroni. */
  readonly control: readonly Line[]
  start(): Promise<void>
  /** `kill -9` of Patroni and PostgreSQL. */
  kill(): Promise<void>
  /** The column `answer` of a query, asked past the lines; undefined where none comes. */
  ask(database: string, text: string): Promise<string | undefined>
}

export interface PostgresCluster {
  readonly nodes: readonly PostgresNode[]
  readonly versions: string
  /** All nodes in one address, as `DATABASE_URL` takes it. */
  url(database: string): string
  /** The node that takes writes, asked past the lines; not the one that is known to be cut off. */
  leader(except?: PostgresNode): Promise<PostgresNode | undefined>
  /** How many standbys stream from the leader; of those that must answer first, if asked. */
  standbys(state?: 'sync'): Promise<number>
  stop(): Promise<void>
}

export interface ClusterOptions {
  readonly folder: string
  readonly replication: Replication
  readonly signal: AbortSignal
}

const HOST = '127.0.0.1'
/** Of a cluster on the loopback that lives for minutes. */
const PASSWORD = 'failover'
const NAMES = ['one', 'two', 'three']
const START_MS = 180_000
/** On a busy machine a server that is well may take seconds for an answer. */
const ANSWER_MS = 10_000

/** etcd and three PostgreSQL under Patroni. */
export async function startPostgresCluster(options: ClusterOptions): Promise<PostgresCluster> {
  const { folder, replication, signal } = options
  const programs = await ensurePatroni({ log: console.error })
  const { account } = programs
  const home = join(folder, 'cluster')
  await mkdir(home, { recursive: true })
  if (account.uid !== undefined) await chown(home, account.uid, account.gid ?? account.uid)
  const etcdPorts = await freePorts(['client', 'peer'])
  const etcdUrl = `http://${HOST}:${etcdPorts.client}`
  const etcd = startProgram({
    command: programs.etcd,
    args: [
      `--data-dir=${home}/etcd`,
      `--listen-client-urls=${etcdUrl}`,
      `--advertise-client-urls=${etcdUrl}`,
      `--listen-peer-urls=http://${HOST}:${etcdPorts.peer}`,
      `--initial-advertise-peer-urls=http://${HOST}:${etcdPorts.peer}`,
      `--initial-cluster=default=http://${HOST}:${etcdPorts.peer}`,
      '--log-level=warn',
    ],
    env: programs.env,
    logFile: join(folder, 'etcd.log'),
    cwd: home,
    ...account,
  })
  const allPorts = await Promise.all(NAMES.map(() => freePorts(['postgres', 'rest'])))
  const network = await openLines(
    allPorts
      .flatMap(({ postgres, rest }) => [postgres, postgres, rest, etcdPorts.client])
      .map((port) => ({ port })),
  )
  const makeNode = async (name: string, place: number) => {
    const ports = allPorts[place] as { postgres: number; rest: number }
    const data = join(home, name)
    const [clients, peers, rest, toEtcd] = network.lines.slice(place * 4) as [
      Line,
      Line,
      Line,
      Line,
    ]
    const config = join(home, `${name}.yml`)
    await writeFile(
      config,
      readConfig(new URL('patroni.yml', import.meta.url), {
        ...{ name, data, binaries: programs.binaries, password: PASSWORD, ...ports },
        ...{ restLine: rest.port, etcdLine: toEtcd.port, peersLine: peers.port },
        isSynchronous: replication === 'synchronous',
      }),
      { mode: 0o644 },
    )
    let patroni: Program | undefined
    const node: PostgresNode = {
      name,
      ...{ clients, peers, control: [rest, toEtcd] },
      async start() {
        patroni = startProgram({
          command: programs.python,
          args: ['-m', 'patroni', config],
          env: { ...programs.env, HOME: home },
          logFile: join(folder, `patroni-${name}.log`),
          cwd: home,
          ...account,
        })
      },
      async kill() {
        // Patroni first, or it would start the other again.
        await patroni?.kill()
        // Not by its file, which outlives it: another process may have the number by then.
        await endAllIn(data)
      },
      ask: (database, text) => ask(addressOf(`${HOST}:${ports.postgres}`, database), text),
    }
    return node
  }
  const nodes: PostgresNode[] = []
  for (const [place, name] of NAMES.entries()) nodes.push(await makeNode(name, place))
  const findLeader = async (except?: PostgresNode) => {
    for (const node of nodes) {
      if (node === except) continue
      if ((await node.ask('postgres', IS_STANDBY)) === 'false') return node
    }
    return undefined
  }
  const cluster: PostgresCluster = {
    nodes,
    versions: programs.versions,
    url: (database) =>
      `${addressOf(nodes.map(({ clients }) => `${HOST}:${clients.port}`).join(), database)}?target_session_attrs=read-write`,
    leader: findLeader,
    async standbys(state) {
      const leader = await findLeader()
      const count = await leader?.ask('postgres', state ? IN_SYNC : STREAMING)
      return Number(count ?? 0)
    },
    async stop() {
      for (const node of nodes) await node.kill()
      await etcd.kill()
      network.close()
    },
  }
  try {
    for (const node of nodes) await node.start()
    const wanted = replication === 'synchronous' ? 'sync' : undefined
    await waitFor(
      'the cluster is complete',
      async () =>
        (await cluster.standbys()) === NAMES.length - 1 && (await cluster.standbys(wanted)) > 0,
      { withinMs: START_MS, signal },
    )
  } catch (error) {
    await cluster.stop()
    throw error
  }
  return cluster
}

const IS_STANDBY = 'select pg_is_in_recovery() as answer'
const STREAMING = `select count(*) as answer from pg_stat_replication where state = 'streaming'`
const IN_SYNC = `select count(*) as answer from pg_stat_replication where sync_state = 'sync'`

async function ask(connectionString: string, text: string): Promise<string | undefined> {
  const client = new Client({
    connectionString,
    connectionTimeoutMillis: ANSWER_MS,
    query_timeout: ANSWER_MS,
  })
  client.on('error', () => undefined)
  try {
    await client.connect()
    const { rows } = await client.query<{ answer: unknown }>(text)
    return String(rows[0]?.answer)
  } catch {
    return undefined
  } finally {
    await client.end().catch(() => undefined)
  }
}

function addressOf(hosts: string, database: string): string {
  return `postgresql://postgres:${PASSWORD}@${hosts}/${database}`
}
