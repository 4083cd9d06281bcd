import type {
  Consumer,
  Handlers,
  Log,
  MasterKeys,
  MigrationSet,
  Outbox,
  Queryable,
  Transaction,
  Transport,
} from '@posthorn/engine'
import type { PeriodicTask, RetentionCatalogue } from '@posthorn/operate'
import type { App } from '@posthorn/http'
import type { Receivers, Simulator } from '@posthorn/simulators'
import type { Pool } from 'pg'
import type { Static } from 'typebox'
import type { DemoChapter } from './demo.ts'
import type { Sealing } from './sealing.ts'
import type { SettingsSchema } from './settings.ts'

/** What a system gets from its host. */
export interface Host<Settings = unknown> {
  readonly pool: Pool
  readonly log: Log
  /** What the system's schema names, read from the environment and checked. */
  readonly settings: Settings
  readonly production: boolean
  /** Where this server is reached, e.g. `http://127.0.0.1:4600`; right once it listens. */
  baseUrl(): string
  /** What a system's own folders are relative to; default the working folder. */
  readonly dataFolder?: string
  /** For secrets that are stored. */
  readonly sealing: Sealing
  /** For `encrypt` in a definition, from the same keys; left out by hosts without them. */
  readonly masterKeys?: MasterKeys
  /**
   * The address of a simulator that listens elsewhere than below `/sim`, e.g. `mail`; undefined in
   * production, and until the server that runs it is up.
   */
  simulatorAddress(name: string): Promise<string | undefined>
  /** Asks all systems, so it is right once all are open; left out by hosts that show no destinations. */
  readonly nameDestinations?: NameDestinations
  /** Receivers of webhooks that the host plays itself; left out in production. */
  readonly receivers?: Receivers
}

/** A reader of a topic, and its transport. */
export interface SystemConsumer extends Consumer {
  /** The name that destinations use: `kafka`, `rabbitmq`, `topics`. */
  readonly transport: string
}

/** A group's queue that must exist before its first reader: without it, a broker drops the messages. */
export interface SystemQueue {
  readonly transport: string
  readonly topic: string
  readonly group: string
  /** Only the newest so many are kept. */
  readonly maxLength?: number
  /** Runs whenever the broker is known to have the queue. */
  declared?(tx: Transaction): Promise<unknown>
}

/** A gauge about a system's tables, read when metrics are asked for. */
export interface Measure {
  readonly name: `posthorn_${string}`
  /** What it means, in a sentence. */
  readonly help: string
  read(): Promise<readonly { readonly labels: { readonly type: string }; readonly value: number }[]>
}

/** What is searched in an audit; what is left out matches all. */
export interface AuditSearch {
  readonly org: string | null
  readonly entityType: string | null
  readonly entityId: string | null
  readonly actor: string | null
  readonly action: string | null
  readonly since: Date | null
  readonly until: Date | null
  /** Older than this entry. */
  readonly before: string | null
  readonly limit: number
}

/** An entry of a system's audit. */
export interface SystemAuditEntry {
  readonly seq: string
  readonly org_id: string | null
  readonly actor: string
  readonly action: string
  readonly entity_type: string
  readonly entity_id: string
  readonly details: unknown
  /** When it really happened. */
  readonly at: Date
  /** By the business clock, where the audit is dated by that. */
  readonly business_at: Date | null
}

/** An audit that users search, newest first. */
export interface AuditSource {
  readonly name: string
  search(db: Queryable, search: AuditSearch): Promise<readonly SystemAuditEntry[]>
}

/** What is looked for, whose it must be, and how many of a kind are wanted. */
export interface Sought {
  readonly org: string
  /** As it was typed, without blanks around it. */
  readonly text: string
  readonly limit: number
}

/** A thing that was found, and its page. */
export interface Found {
  /** `order`, `payment`. */
  readonly kind: string
  readonly id: string
  readonly title: string
  readonly detail: string
  /** An address of the dashboard. */
  readonly to: string
}

/** Finds things of a system by an id, a name or an amount, and what belongs to the thing of that id. */
export type Search = (db: Queryable, sought: Sought) => Promise<readonly Found[]>

/** What is followed: ids that something has or names, whose it must be, and how many of a kind are wanted. */
export interface Followed {
  readonly org: string
  readonly ids: readonly string[]
  readonly limit: number
}

/** A thing on a journey, with what happened to it and the ids that lead on from it. */
export interface Stop extends Found {
  /** Other ids of its own, and those of what it belongs to. */
  readonly ids: readonly (string | null)[]
  /** By real time, as a row has it; what has no time has not happened. */
  readonly events: readonly { readonly at: Date | string | null; readonly what: string }[]
  /** It belongs to several business things: its ids lead on only where a journey begins with it. */
  readonly shared?: boolean
  /** The outbox in which it is a message of the same id. */
  readonly outbox?: string
  /** Default everyone in its organisation. */
  readonly readers?: 'operators'
}

/** Finds things of a system that have one of these ids, or belong to what has. Uses indexes only. */
export type Follow = (db: Queryable, followed: Followed) => Promise<readonly Stop[]>

/** What people call the destinations of a transport, where a topic is only an id. */
export interface DestinationNames {
  readonly transport: string
  /** By the topic; what has no name is left out. */
  read(topics: readonly string[]): Promise<ReadonlyMap<string, string>>
}

/** A system with its settings: the parts that hosts put to work, each in the processes of its role. */
export interface OpenSystem {
  // oxlint-disable-next-line typescript/no-explicit-any -- outboxes of all row types stand side by side
  readonly outboxes: readonly Outbox<any>[]
  /** Those that relays of this process run; default all. */
  // oxlint-disable-next-line typescript/no-explicit-any -- as above
  readonly relayed?: readonly Outbox<any>[]
  /** Functions that its outboxes deliver to, as `handlers` made them. */
  readonly handlers?: readonly Handlers[]
  /** Live clients of its own, by the name that its destinations use. */
  readonly transports?: Readonly<Record<string, Transport>>
  readonly consumers?: readonly SystemConsumer[]
  readonly queues?: readonly SystemQueue[]
  /** Work that is neither a relay's nor a consumer's; the host runs it again and again. */
  readonly workers?: readonly PeriodicTask[]
  readonly measures?: readonly Measure[]
  /** Everything it keeps, and for how long. */
  readonly retention?: RetentionCatalogue
  /** Who plays the outside world in development; two systems may name the same one. */
  readonly simulators?: readonly Simulator[]
  readonly destinationNames?: readonly DestinationNames[]
  /** Who did what in it. */
  readonly audits?: readonly AuditSource[]
  readonly searches?: readonly Search[]
  /** Kinds of things that journeys lead through. */
  readonly follows?: readonly Follow[]
  /** Adds its routes, with their whole path. */
  readonly routes?: (app: App) => void | Promise<void>
}

/**
 * The whole contract between a system and the hosts: server, command line, tests. `open` connects to
 * nothing and starts nothing, so that a host which only looks can call it too.
 */
export interface System<Schema extends SettingsSchema = SettingsSchema> {
  readonly name: string
  readonly settings: Schema
  migrations(): Promise<MigrationSet>
  /** Whether it needs the topics in PostgreSQL, at least where there is no broker. Default true. */
  readonly usesTopics?: boolean
  /** Its chapter of the demo, in development. */
  readonly demo?: DemoChapter
  /** The folder of its pages: `index.ts` in it exports `web`. The dashboard's build bundles it. */
  readonly web?: URL
  open(host: Host<Static<Schema>>): OpenSystem
}

/** Lets the settings' types flow into `open`. */
export function defineSystem<Schema extends SettingsSchema>(system: System<Schema>): System {
  return system
}

/** What people call destinations, by `transport:topic`; those without a name are left out. */
export type NameDestinations = (
  destinations: readonly string[],
) => Promise<ReadonlyMap<string, string>>

/** Asks everyone who has names. */
export function nameDestinationsBy(sources: readonly DestinationNames[]): NameDestinations {
  return async (destinations) => {
    const found = sources.map(async ({ transport, read }) => {
      const prefix = `${transport}:`
      const topics = destinations.flatMap((each) =>
        each.startsWith(prefix) ? each.slice(prefix.length) : [],
      )
      if (topics.length === 0) return []
      return [...(await read(topics))].map(([topic, name]) => [`${prefix}${topic}`, name] as const)
    })
    return new Map((await Promise.all(found)).flat())
  }
}

interface About {
  readonly code: string
  readonly subject: string | null
  readonly detail: string | null
}

/** Alerts and incidents whose detail names their destination as people do. */
export async function nameInDetails<Item extends About>(
  items: readonly Item[],
  name: NameDestinations,
): Promise<Item[]> {
  const isAbout = ({ code }: About) => code === 'DESTINATION_DOWN'
  const names = await name(items.filter(isAbout).flatMap(({ subject }) => subject ?? []))
  return items.map((item) => {
    const called = isAbout(item) && item.subject !== null ? names.get(item.subject) : undefined
    if (called === undefined || item.subject === null) return item
    return { ...item, detail: item.detail?.replaceAll(item.subject, called) ?? null }
  })
}

/** An event for the webhooks of an organisation. */
export interface OrgEvent {
  readonly org: string
  /** Its own: announced again, it is not delivered again. */
  readonly id: string
  /** E.g. `payment.succeeded`. */
  readonly type: string
  readonly data: unknown
  /** What it is about: an ordered endpoint gets the events of one key one after the other. */
  readonly key?: string
}

/** Writes an event down for the organisation's webhooks, in the caller's transaction. */
export type Notify = (tx: Transaction, event: OrgEvent) => Promise<unknown>

/** What became of an event at one of the organisation's endpoints. */
export interface EventDelivery {
  readonly id: string
  readonly eventId: string
  readonly url: string
  readonly status: string
  readonly attempts: number
  readonly deliveredAt: Date | null
}

/** Finds the deliveries of events, whichever state they are in. */
export type FindDeliveries = (
  db: Queryable,
  events: { readonly org: string; readonly ids: readonly string[] },
) => Promise<readonly EventDelivery[]>
