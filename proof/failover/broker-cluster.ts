import type { Program } from '../kit/servers/program.ts'
import { waitFor } from '../kit/waiting.ts'
import type { Mesh } from './lines.ts'

/** Three brokers of one cluster, by their place. */
export interface BrokerCluster {
  readonly version: string
  readonly size: number
  /** Where clients find it. */
  readonly env: Readonly<Record<string, string>>
  /** `kill -9`. */
  kill(place: number): Promise<void>
  start(place: number): Promise<void>
  /** Nothing passes between this node and the others; clients reach all of them. */
  cutOff(place: number): Promise<void>
  /** Lets everything through again. */
  heal(): Promise<void>
  /** Whether a node that is left alone sends its clients away. */
  readonly pausesAlone: boolean
  takesClients(place: number): Promise<boolean>
  /** Waits until it takes clients. */
  awaitReady(place: number): Promise<void>
  stop(): Promise<void>
}

/** What differs between brokers. */
interface Brokers extends Pick<BrokerCluster, 'version' | 'env' | 'pausesAlone' | 'takesClients'> {
  readonly names: readonly string[]
  readonly mesh: Mesh
  startNode(place: number): Program
  /** Whether the first one founds the cluster and the others join it, one by one. */
  readonly joinsOneByOne: boolean
  /** Ends what runs besides the nodes. */
  close?(): Promise<void>
  readonly signal: AbortSignal
}

const START_MS = 180_000

/** Starts all nodes, and comes back when all of them take clients. */
export async function startBrokers(brokers: Brokers): Promise<BrokerCluster> {
  const { names, mesh, startNode, joinsOneByOne, close, signal, ...same } = brokers
  const running: Program[] = []
  const cluster: BrokerCluster = {
    ...same,
    size: names.length,
    async kill(place) {
      await running[place]?.kill()
    },
    async start(place) {
      running[place] = startNode(place)
    },
    cutOff: (place) => mesh.cutOff(place),
    heal: () => mesh.heal(),
    async awaitReady(place) {
      const isReady = () => cluster.takesClients(place)
      await waitFor(names[place] ?? '', isReady, { withinMs: START_MS, signal })
    },
    async stop() {
      for (const program of running) await program.kill()
      await close?.()
      mesh.close()
    },
  }
  try {
    for (const place of names.keys()) {
      await cluster.start(place)
      if (joinsOneByOne) await cluster.awaitReady(place)
    }
    for (const place of names.keys()) await cluster.awaitReady(place)
  } catch (error) {
    await cluster.stop()
    throw error
  }
  return cluster
}
