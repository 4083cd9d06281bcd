import {
  type Destination,
  type Log,
  type Subscriber,
  type Transport,
  createNotifier,
  createRelay,
  posthorn,
  schedule,
  silentLog,
} from '@posthorn/engine'
import type { Pool } from 'pg'
import type { FindDeliveries, Notify, OpenSystem, OrgEvent } from '@posthorn/system'
import { serveSystem, type ServedSystem } from '@posthorn/system/testing/serve'
import { evidence } from '../index.ts'
import { startPeriodically } from '@posthorn/operate'
import { kafkaTransport } from '@posthorn/transports/kafka'
import { postgresTransport } from '@posthorn/transports/postgres'

export interface Serving extends ServedSystem {
  /** Notifications to merchants, committed or not. */
  readonly notified: readonly OrgEvent[]
}

export interface ServingOptions {
  readonly pool: Pool
  /** Where files are kept. */
  readonly folder: string
  readonly env?: Readonly<Record<string, string>>
  readonly log?: Log
}

/** The system behind a real server on a free port, with the document API it brings. */
export async function serve(options: ServingOptions): Promise<Serving> {
  const { pool, folder, env = {}, log = silentLog } = options
  const notified: OrgEvent[] = []
  const notify: Notify = async (_tx, event) => void notified.push(event)
  const findDeliveries: FindDeliveries = async (_db, { ids }) =>
    ids.map((eventId) => ({
      ...{ id: eventId, eventId, url: 'https://merchant.test/hook', status: 'delivered' },
      ...{ attempts: 1, deliveredAt: new Date(0) },
    }))
  const served = await serveSystem(evidence({ notify, findDeliveries }), {
    ...{ pool, log, env: { EVIDENCE_FOLDER: folder, ...env } },
  })
  return { ...served, notified }
}

export function topicOf(prefix: string, tenant: string): string {
  return `${prefix}.${tenant}`
}

/** A broker that others use too: what goes to one topic goes to one for each merchant here. */
export function topicForEach(
  broker: Transport & Subscriber,
  prefix: string,
): Transport & Subscriber {
  return {
    ...broker,
    deliver: (batch, options) =>
      broker.deliver(
        batch.map(({ message, destination }) => ({
          message,
          destination: { ...destination, topic: topicOf(prefix, message.tenant ?? '') },
        })),
        options,
      ),
  }
}

/** The same topics and groups under names of its own. */
export function underPrefix(
  broker: Required<Omit<Transport, 'takes'>> & Subscriber,
  prefix = '',
): Required<Omit<Transport, 'takes'>> & Subscriber {
  if (prefix === '') return broker
  const rename = (destination: Destination): Destination => ({
    ...destination,
    topic: `${prefix}.${destination.topic}`,
    options: { group: `${prefix}.${String(destination.options?.['group'])}` },
  })
  return {
    ...broker,
    deliver: (batch, options) =>
      broker.deliver(
        batch.map(({ message, destination }) => ({ message, destination: rename(destination) })),
        options,
      ),
    passed: (sent) =>
      broker.passed(
        sent.map(({ destination, ref }) => ({ destination: rename(destination), ref })),
      ),
    subscribe: (consumer) =>
      broker.subscribe({
        ...consumer,
        topic: `${prefix}.${consumer.topic}`,
        group: `${prefix}.${consumer.group}`,
      }),
  }
}

export type Part = 'workers' | 'relay' | 'consumers'

interface WorkingOptions {
  readonly pool: Pool
  readonly parts: readonly Part[]
  /** Without them, topics in Postgres. */
  readonly kafkaBrokers?: readonly string[] | undefined
  /** Before the names of its topics and groups, on a Kafka that others use too. */
  readonly kafkaPrefix?: string | undefined
  readonly log?: Log
}

interface Working {
  readonly broker: Transport & Subscriber
  close(): Promise<void>
}

/** What runs behind the server: file processor and results, publisher, evidence worker. */
export async function startWorking(
  system: OpenSystem,
  { pool, parts, kafkaBrokers, kafkaPrefix, log = silentLog }: WorkingOptions,
): Promise<Working> {
  const reading = {
    log,
    deadLetters: pool,
    retry: schedule(['50ms', '200ms'], { then: 'repeat-last' }),
  } as const
  const broker = kafkaBrokers
    ? // The shortest session that a broker takes: so long is a dead process waited for.
      underPrefix(kafkaTransport({ brokers: kafkaBrokers, session: '6s', ...reading }), kafkaPrefix)
    : postgresTransport({ pool, poll: '100ms', lease: '2s', ...reading })
  const { handlers = [], workers = [], consumers = [], transports } = system
  const isRelay = parts.includes('relay')
  const handled = new Set<unknown>(handlers.map(({ outbox }) => outbox))
  const outboxes = system.outboxes.filter((outbox) => !handled.has(outbox))
  const relay = createRelay({ pool, outboxes, transports: { kafka: broker, ...transports }, log })
  const readers = posthorn({ pool, handlers, log })
  // A process without a relay rings for those elsewhere.
  const notifier = isRelay ? undefined : createNotifier(pool, outboxes, { log })
  const stopWorkers = startPeriodically(parts.includes('workers') ? workers : [], { log })
  if (parts.includes('consumers')) {
    await Promise.all(consumers.map((consumer) => broker.subscribe(consumer)))
  }
  if (isRelay) await relay.start()
  if (parts.includes('workers')) await readers.start()
  return {
    broker,
    async close() {
      await stopWorkers()
      await readers.stop()
      await relay.stop()
      await broker.close()
      await notifier?.close()
    },
  }
}
