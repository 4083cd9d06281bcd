import { setTimeout as sleep } from 'node:timers/promises'
import { temporaryPostgres } from '@posthorn/postgres'
import type { Ledger, Line } from '../../crash/ledger.ts'
import type { BrokerCluster } from '../broker-cluster.ts'
import { startKafkaCluster } from '../kafka-cluster.ts'
import type { Event } from '../ledger.ts'
import { startLoad } from '../load.ts'
import type { Run } from '../options.ts'
import { startRabbitmqCluster } from '../rabbitmq-cluster.ts'
import { awaitArrivals, drawUp } from '../settling.ts'

const CLUSTERS = { rabbitmq: startRabbitmqCluster, kafka: startKafkaCluster } as const
export type BrokerName = keyof typeof CLUSTERS

/** For a new leader of each queue or partition, and for consumers to find it. */
const AGAIN_MS = 180_000

/** Of three brokers one is lost under load, then a second, and both come back. */
export async function loseBrokers(run: Run, name: BrokerName): Promise<Ledger[]> {
  const { folder, options, signal } = run
  await using opened = new AsyncDisposableStack()
  // Only processes are killed, never the machine: what the kernel has taken is not lost with them.
  const postgres = await temporaryPostgres({ settings: { fsync: 'off', max_connections: 200 } })
  opened.defer(() => postgres.close())
  const cluster = await CLUSTERS[name](folder, signal)
  opened.defer(() => cluster.stop())
  const load = await startLoad({
    ...{ folder, seed: options.seed, rate: options.rate, databaseUrl: postgres.url },
    env: { ...cluster.env, FAILOVER_KEYED: name, FAILOVER_ROWS: name },
  })
  opened.defer(() => load.stop())
  const losses: Event[] = []
  const lines: Line[] = []
  const calm = () => sleep(options.calmMs, undefined, { signal })
  const awaitDelivery = async (what: string, began: number) => {
    await awaitArrivals(load.pool, { folder, since: Date.now(), withinMs: AGAIN_MS, signal })
    lines.push({ name: what, value: `${((Date.now() - began) / 1_000).toFixed(1)} s` })
  }
  const kill = async (place: number, what: string) => {
    losses.push({ atMs: Date.now(), what })
    await cluster.kill(place)
  }

  await calm()
  await kill(0, 'one killed')
  await awaitDelivery('one killed: until messages of later commits arrive', Date.now())
  await calm()
  await kill(1, 'two killed')
  await calm()
  await startAgain(cluster, [0, 1])
  const back = Date.now()
  losses.push({ atMs: back, what: 'both back' })
  await awaitDelivery('both back: until messages of later commits arrive', back)
  await calm()

  const title = `${name}: ${cluster.version}, three nodes; ${options.rate} messages a second`
  return await drawUp({ title, folder, load, losses, lines, isLossy: false, signal })
}

/** Two at once: the quorum may need either. */
async function startAgain(cluster: BrokerCluster, places: readonly number[]): Promise<void> {
  for (const place of places) await cluster.start(place)
  for (const place of places) await cluster.awaitReady(place)
}
