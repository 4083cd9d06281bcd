import type { Log, Subscriber, Transport } from '@posthorn/engine'
import { kafkaTransport } from '@posthorn/transports/kafka'
import { postgresTopics } from '@posthorn/transports/postgres'
import { rabbitmqTransport, type RabbitmqTransport } from '@posthorn/transports/rabbitmq'
import type { Pool } from 'pg'
import type { Configuration } from './configuration.ts'

/** A broker to send to and to read from. */
export type Broker = Transport & Subscriber & Partial<Pick<RabbitmqTransport, 'declareQueue'>>

/** Live brokers by the name that destinations and consumers use. */
export interface Brokers {
  readonly byName: Readonly<Record<string, Broker>>
  /** For people: which name leads where. */
  readonly where: Readonly<Record<string, string>>
  close(): Promise<void>
}

export interface BrokerOptions {
  readonly configuration: Pick<Configuration, 'kafkaBrokers' | 'rabbitmqUrl'>
  readonly pool: Pool
  readonly log: Log
}

/**
 * `kafka`, `rabbitmq` and `topics`. What is not configured leads to the topics in Postgres, so that a
 * system names what it wants and runs with what there is. Nothing is connected before it is used.
 */
export function openBrokers({ configuration, pool, log }: BrokerOptions): Brokers {
  const { kafkaBrokers, rabbitmqUrl } = configuration
  const topics = postgresTopics({ pool, log })
  const kafka = kafkaBrokers && kafkaTransport({ brokers: kafkaBrokers, log, deadLetters: pool })
  const rabbitmq =
    rabbitmqUrl === undefined
      ? undefined
      : rabbitmqTransport({ url: rabbitmqUrl, log, deadLetters: pool })
  return {
    byName: { topics, kafka: kafka ?? topics, rabbitmq: rabbitmq ?? topics },
    where: {
      topics: 'PostgreSQL',
      kafka: kafkaBrokers ? `Kafka at ${kafkaBrokers.join(', ')}` : 'PostgreSQL',
      rabbitmq: rabbitmqUrl ? `RabbitMQ at ${new URL(rabbitmqUrl).host}` : 'PostgreSQL',
    },
    async close() {
      const open = [topics, kafka, rabbitmq].filter((broker) => broker !== undefined)
      await Promise.all(open.map((broker) => broker.close()))
    },
  }
}
