import {
  schedule,
  createNotifier,
  createRelay,
  silentLog,
  type Log,
  type Subscriber,
  type Transport,
} from '@posthorn/engine'
import { startPeriodically } from '@posthorn/operate'
import { kafkaTransport } from '@posthorn/transports/kafka'
import { postgresTopics } from '@posthorn/transports/postgres'
import type { Pool } from 'pg'
import type { OpenSystem } from '@posthorn/system'
import { underPrefix } from './topics.ts'

export type Part = 'workers' | 'relay' | 'consumers'

export interface WorkingOptions {
  readonly pool: Pool
  readonly parts: readonly Part[]
  /** Without them, topics in Postgres. */
  readonly kafkaBrokers?: readonly string[] | undefined
  /** Before the names of its topics and groups, on a Kafka that others use too. */
  readonly kafkaPrefix?: string | undefined
  readonly log?: Log
}

export interface Working {
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
    : postgresTopics({ pool, poll: '100ms', lease: '2s', ...reading })
  const { outboxes, workers = [], consumers = [], transports } = system
  const isRelay = parts.includes('relay')
  const relay = createRelay({ pool, outboxes, transports: { kafka: broker, ...transports }, log })
  // A process without a relay rings for those elsewhere.
  const notifier = isRelay ? undefined : createNotifier(pool, outboxes, { log })
  const stopWorkers = startPeriodically(parts.includes('workers') ? workers : [], { log })
  if (parts.includes('consumers')) {
    await Promise.all(consumers.map((consumer) => broker.subscribe(consumer)))
  }
  if (isRelay) await relay.start()
  return {
    broker,
    async close() {
      await stopWorkers()
      await relay.stop()
      await broker.close()
      await notifier?.close()
    },
  }
}
