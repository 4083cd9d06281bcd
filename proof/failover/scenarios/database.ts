import { setTimeout as sleep } from 'node:timers/promises'
import { silentLog } from '@posthorn/engine'
import { openDatabase } from '@posthorn/server'
import type { Ledger, Line } from '../../kit/ledger.ts'
import { startServices } from '../../../scripts/services/index.mjs'
import type { Event } from '../ledger.ts'
import { startLoad, type Load, type Run } from '../load.ts'
import { keyedEvents } from '../outbox.ts'
import {
  startPostgresCluster,
  type PostgresCluster,
  type PostgresNode,
  type Replication,
} from '../postgres-cluster.ts'
import { waitFor } from '../../kit/waiting.ts'
import { lastSeq } from '../queries.ts'
import { awaitArrivals, drawUp } from '../settling.ts'

/** Patroni misses a primary after 20 s; a busy machine takes its time. */
const FAILOVER_MS = 120_000
/** A former primary is rewound and follows. */
const BACK_MS = 180_000
/** Messages that are written to a primary whose standbys hear nothing any more. */
const UNHEARD_MS = 4_000

interface Stage {
  readonly cluster: PostgresCluster
  readonly load: Load
  readonly run: Run
  readonly losses: Event[]
  readonly lines: Line[]
}

/**
 * The primary of three is lost under load. In synchronous replication twice, by a kill and by the loss
 * of its network, and nothing may be missing; in asynchronous replication once, with what its standbys
 * had not heard.
 */
export async function loseDatabase(run: Run, replication: Replication): Promise<Ledger[]> {
  const { folder, options, signal } = run
  await using opened = new AsyncDisposableStack()
  const services = await startServices({ names: ['rabbitmq'], dir: folder, log: () => undefined })
  opened.defer(() => services.stop())
  const [failure] = Object.values(services.failures)
  if (failure !== undefined) throw new Error(failure)
  const cluster = await startPostgresCluster({ folder, replication, signal })
  opened.defer(() => cluster.stop())
  await createDatabase(cluster.url('postgres'))
  const load = await startLoad({
    ...{ folder, seed: options.seed, rate: options.rate },
    databaseUrl: cluster.url(DATABASE),
    env: services.env,
  })
  opened.defer(() => load.stop())
  const stage: Stage = { cluster, load, run, losses: [], lines: [] }
  await sleep(options.calmMs, undefined, { signal })

  if (replication === 'synchronous') {
    await lose(stage, 'primary killed', {
      take: (node) => node.kill(),
      giveBack: (node) => node.start(),
    })
    await lose(stage, 'primary cut off', { take: cutOff, giveBack: heal })
  } else {
    await lose(stage, 'primary killed, replication behind', {
      async take(node) {
        await node.peers.stall()
        await sleep(UNHEARD_MS, undefined, { signal })
        stage.lines.push(await numbersLine(cluster, node))
        await node.kill()
      },
      async giveBack(node) {
        await node.peers.heal()
        await node.start()
      },
    })
  }

  const title = `${replication} replication: ${cluster.versions}; ${options.rate} messages a second`
  const { rate } = options
  return await drawUp({
    ...stage,
    title,
    folder,
    rate,
    isLossy: replication === 'asynchronous',
    signal,
  })
}

const DATABASE = 'failover'

/** How many numbers of the ordered outbox its next primary has not heard of, and gives again. */
async function numbersLine({ nodes }: PostgresCluster, primary: PostgresNode): Promise<Line> {
  const seqs = await Promise.all(
    nodes.map(async (node) => ({
      isPrimary: node === primary,
      last: Number((await node.ask(DATABASE, lastSeq(keyedEvents.table))) ?? 0),
    })),
  )
  const [given = 0] = seqs.filter(({ isPrimary }) => isPrimary).map(({ last }) => last)
  const heard = Math.max(...seqs.filter(({ isPrimary }) => !isPrimary).map(({ last }) => last))
  return {
    name: `${keyedEvents.name}: numbers that are given a second time`,
    value: given - heard,
    atLeast: 1,
  }
}

async function createDatabase(url: string): Promise<void> {
  const admin = await openDatabase({ databaseUrl: url, dataFolder: '', poolSize: 1 }, silentLog)
  await admin.pool.query(`create database ${DATABASE}`)
  await admin.close()
}

interface Loss {
  take(node: PostgresNode): Promise<void>
  giveBack(node: PostgresNode): Promise<void>
}

/** Takes the primary away, waits until another delivers, and gives it back as a standby. */
async function lose(stage: Stage, what: string, { take, giveBack }: Loss): Promise<void> {
  const { cluster, load, run, losses, lines } = stage
  const { signal, options, folder } = run
  let primary: PostgresNode | undefined
  await waitFor(
    'a primary to lose',
    async () => {
      primary = await cluster.leader()
      return primary !== undefined
    },
    { withinMs: FAILOVER_MS, signal },
  )
  if (!primary) return
  const lost = primary
  const note = (name: string, since: number) =>
    lines.push({
      name: `${what}: ${name}`,
      value: `${((Date.now() - since) / 1_000).toFixed(1)} s`,
    })
  losses.push({ atMs: Date.now(), what })
  await take(lost)
  const taken = Date.now()
  await waitFor('another primary', async () => (await cluster.leader(lost)) !== undefined, {
    withinMs: FAILOVER_MS,
    signal,
  })
  note('until another primary', taken)
  await awaitArrivals(load.pool, { folder, since: Date.now(), signal, withinMs: FAILOVER_MS })
  note('until messages of later commits arrive', taken)
  await sleep(options.calmMs, undefined, { signal })
  await giveBack(lost)
  const given = Date.now()
  await waitFor('three in all again', async () => (await cluster.standbys()) === 2, {
    withinMs: BACK_MS,
    signal,
  })
  note('until the former primary follows', given)
  await sleep(options.calmMs, undefined, { signal })
}

async function cutOff(node: PostgresNode): Promise<void> {
  for (const line of [node.clients, node.peers, ...node.control]) await line.stall()
}

async function heal(node: PostgresNode): Promise<void> {
  for (const line of [node.clients, node.peers, ...node.control]) await line.heal()
}
