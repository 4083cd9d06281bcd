import { schedule, type Log, type Subscriber, type Transport } from '@posthorn/engine'
import type { Pool } from 'pg'

export type BrokerKind = 'rabbitmq' | 'kafka'

export interface BrokerAddress {
  readonly kind: BrokerKind
  /** A URL for RabbitMQ, `host:port` for Kafka. */
  readonly address: string
}

const VARIABLES = { rabbitmq: 'RABBITMQ_URL', kafka: 'KAFKA_BROKERS' } as const

export function brokerOf(kind: BrokerKind, env: Readonly<Record<string, string>>): BrokerAddress {
  return { kind, address: env[VARIABLES[kind]] ?? '' }
}

/** Short, so that a run does not wait long for the broker or the database to be there again. */
const RETRY = schedule(['100ms', '200ms', '400ms', '1s'], { then: 'repeat-last' })

/** Handlers at once in a consumer: a busy machine takes its time for each of their statements. */
export const HANDLERS = 32

/** Loads the one library that is needed: relays are started again all the time. */
export async function openBroker(
  { kind, address }: BrokerAddress,
  { log, deadLetters }: { log: Log; deadLetters?: Pool },
): Promise<Transport & Subscriber> {
  const common = {
    ...{ log, concurrency: HANDLERS, retry: RETRY, drain: '5s' as const },
    ...(deadLetters && { deadLetters }),
  }
  switch (kind) {
    case 'rabbitmq': {
      const { rabbitmqTransport } = await import('@posthorn/transports/rabbitmq')
      return rabbitmqTransport({ ...common, url: address })
    }
    case 'kafka': {
      const { kafkaTransport } = await import('@posthorn/transports/kafka')
      return kafkaTransport({
        ...common,
        brokers: [address],
        // A partition is read by one handler at a time.
        createTopics: { partitions: HANDLERS },
        // The shortest that Kafka allows: a killed consumer is missed for that long.
        session: '6s',
      })
    }
  }
}
