import { setTimeout as sleep } from 'node:timers/promises'
import { temporaryPostgres } from '@posthorn/postgres'
import type { Ledger, Line } from '../../kit/ledger.ts'
import type { BrokerCluster } from '../broker-cluster.ts'
import { startKafkaCluster } from '../kafka-cluster.ts'
import type { Event } from '../ledger.ts'
import { startLoad, type Run } from '../load.ts'
import { startRabbitmqCluster } from '../rabbitmq-cluster.ts'
import { waitFor } from '../../kit/waiting.ts'
import { awaitArrivals, drawUp } from '../settling.ts'

const CLUSTERS = { rabbitmq: startRabbitmqCluster, kafka: startKafkaCluster } as const
export type BrokerName = keyof typeof CLUSTERS

/** For a new leader of each queue or partition, and for consumers to find it. */
const AGAIN_MS = 180_000

/** What is done to a cluster under load, step by step. */
interface Stage {
  readonly cluster: BrokerCluster
  readonly signal: AbortSignal
  calm(): Promise<void>
  /** Writes down when something was lost, or came back. */
  note(what: string): void
  /** Waits for messages of later commits, and writes down how long it took since then. */
  awaitDelivery(what: string, sinceMs: number): Promise<void>
  /** A measurement. */
  measure(what: string, sinceMs: number): void
}

/** Of three brokers one is killed under load, then a second, and both come back. */
export const killBrokers = (run: Run, name: BrokerName) => underLoad(run, name, killThem)

/** Of three brokers one is cut off from the others under load, then all from each other. */
export const cutBrokers = (run: Run, name: BrokerName) => underLoad(run, name, cutThem)

async function underLoad(
  run: Run,
  name: BrokerName,
  lose: (stage: Stage) => Promise<void>,
): Promise<Ledger[]> {
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
  const measure = (what: string, sinceMs: number) =>
    lines.push({ name: what, value: `${((Date.now() - sinceMs) / 1_000).toFixed(1)} s` })
  await lose({
    cluster,
    signal,
    calm: () => sleep(options.calmMs, undefined, { signal }),
    note: (what) => losses.push({ atMs: Date.now(), what }),
    measure,
    async awaitDelivery(what, sinceMs) {
      await awaitArrivals(load.pool, { folder, since: Date.now(), withinMs: AGAIN_MS, signal })
      measure(`${what}: until messages of later commits arrive`, sinceMs)
    },
  })

  const title = `${name}: ${cluster.version}, three nodes; ${options.rate} messages a second`
  const { rate } = options
  return await drawUp({ title, folder, load, losses, rate, lines, isLossy: false, signal })
}

async function killThem({ cluster, calm, note, awaitDelivery }: Stage): Promise<void> {
  await calm()
  note('one killed')
  await cluster.kill(0)
  await awaitDelivery('one killed', Date.now())
  await calm()
  note('two killed')
  await cluster.kill(1)
  await calm()
  await startAgain(cluster, [0, 1])
  const back = Date.now()
  note('both back')
  await awaitDelivery('both back', back)
  await calm()
}

/** Clients reach every node all the time: also one that does not know what the others have agreed on. */
async function cutThem(stage: Stage): Promise<void> {
  const { cluster, signal, calm, note, awaitDelivery, measure } = stage
  const places = Array.from({ length: cluster.size }, (_, place) => place)
  const awaitPause = async (what: string, alone: readonly number[], sinceMs: number) => {
    if (!cluster.pausesAlone) return
    for (const place of alone) {
      const isPaused = async () => !(await cluster.takesClients(place))
      await waitFor(`node ${place} pauses`, isPaused, { withinMs: AGAIN_MS, signal })
    }
    measure(`${what}: until it takes no clients`, sinceMs)
  }
  const heal = async (what: string) => {
    await cluster.heal()
    const healed = Date.now()
    note(what)
    for (const place of places) await cluster.awaitReady(place)
    await awaitDelivery(what, healed)
    await calm()
  }

  await calm()
  note('one cut off')
  await cluster.cutOff(0)
  const cut = Date.now()
  await awaitPause('one cut off', [0], cut)
  await awaitDelivery('one cut off', cut)
  await calm()
  await heal('one healed')
  note('all cut off')
  await Promise.all(places.map((place) => cluster.cutOff(place)))
  await awaitPause('all cut off', places, Date.now())
  await calm()
  await calm()
  await heal('all healed')
}

/** Two at once: the quorum may need either. */
async function startAgain(cluster: BrokerCluster, places: readonly number[]): Promise<void> {
  for (const place of places) await cluster.start(place)
  for (const place of places) await cluster.awaitReady(place)
}
