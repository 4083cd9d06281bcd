import type { Log, Subscriber, Transport } from '@posthorn/engine'
import { kafkaTransport } from '@posthorn/transports/kafka'
import { rabbitmqTransport } from '@posthorn/transports/rabbitmq'

export type BrokerKind = 'rabbitmq' | 'kafka'

export interface BrokerAddress {
  readonly kind: BrokerKind
  /** A URL for RabbitMQ, `host:port` for Kafka. */
  readonly address: string
}

/** Short, so that a run does not wait long for the broker or the database to be there again. */
const BACKOFF = { first: '100ms', max: '1s' } as const

export function openBroker({ kind, address }: BrokerAddress, log: Log): Transport & Subscriber {
  switch (kind) {
    case 'rabbitmq':
      return rabbitmqTransport({ url: address, log, concurrency: 8, backoff: BACKOFF, drain: '5s' })
    case 'kafka':
      // 6 s is the shortest session that Kafka allows: a killed consumer is missed for that long.
      return kafkaTransport({
        brokers: [address],
        log,
        session: '6s',
        backoff: BACKOFF,
        drain: '5s',
      })
  }
}
