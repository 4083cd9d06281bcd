import { globSync } from 'node:fs'
import type { Outbox, Queryable } from '@posthorn/engine'
import type { Simulator } from '@posthorn/simulators'
import type { SystemConsumer } from '@posthorn/system'
import type { Fault } from '../../chaos/faults/fault.ts'
import type { Arrival, Note } from '../events/arrivals.ts'
import type { Line } from '../ledger.ts'
import type { KeptAnswer } from './answers.ts'
import type { Client } from './client.ts'
import type { Load } from './load.ts'
import type { Witness, Witnessing } from './witness.ts'
import type { World } from './world.ts'

/** Counts by name. */
export type Counts = Readonly<Record<string, number>>

/** Where a system finds the outside world. */
export interface Surroundings {
  /** The simulators are below it, by their names. */
  readonly simulators: string
  readonly smtp: string
  /** What the gateway signs its webhooks with. */
  readonly gatewaySecret: string
  readonly broker: 'kafka' | 'topics'
  /** Small waits, so that a run of minutes sees many of them. */
  readonly isImpatient: boolean
}

/** What a ledger is made from, once no process runs any more. */
export interface Books {
  readonly db: Queryable
  readonly world: World
  readonly witness: Witness
  /** What the API has said to those who put it under load. */
  readonly answers: readonly KeptAnswer[]
  /** What the consumers of the proof saw; undefined where they did not run. */
  readonly arrivals?: readonly Arrival[]
}

/** The part of a system in the proofs: `proof` of `systems/<name>/proof/index.ts`. */
export interface SystemProof extends Load {
  readonly name: string
  /** Simulators besides the gateway and the mailbox, which several systems share. */
  simulators?(webhooks: string): readonly Simulator[]
  /** Settings of the server's processes. */
  env(surroundings: Surroundings): Readonly<Record<string, string>>
  /** What is read along from a simulator, since it forgets the oldest. */
  readonly witnessing?: Witnessing
  /** Consumers besides those of the system, which only note what arrives. */
  consumers?(note: Note): readonly SystemConsumer[]
  /** Tables besides those of outboxes that a fault may lock. */
  readonly tables?: readonly string[]
  /** Faults of its simulators besides those that all simulators have. */
  readonly faults?: readonly Fault[]
  /** Changes of state besides those of the definition, as `from → to`, by outbox. */
  readonly ways?: Readonly<Record<string, readonly string[]>>
  /** Outboxes whose dead messages are not sent again: they would die again. */
  readonly final?: readonly Outbox['name'][]
  /** Outboxes whose rows the system itself opens and closes, which the engine's transitions do not tell. */
  readonly closed?: readonly Outbox['name'][]
  /** What has not come to its end, besides the messages of outboxes. */
  rest?(db: Queryable, options: { readonly isLossy: boolean }): Promise<Counts>
  /** What an operator does for what has failed; says for how many. */
  mend?(db: Queryable, client: Client): Promise<number>
  /** What is in flight. */
  inFlight?(db: Queryable): Promise<Counts>
  /** The promises of the system. */
  lines(books: Books): Promise<Line[]>
}

const root = new URL('../../../', import.meta.url)

/** Those of the systems that are there. */
export const systemProofs: readonly SystemProof[] = await Promise.all(
  globSync('systems/*/proof/index.ts', { cwd: root })
    .toSorted()
    .map(
      async (path) => ((await import(new URL(path, root).href)) as { proof: SystemProof }).proof,
    ),
)
