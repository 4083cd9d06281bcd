import type { Log, Subscriber, Transport } from '@posthorn/engine'
import type { RabbitmqTransport } from '@posthorn/transports/rabbitmq'
import type { Pool } from 'pg'
import type { Static, TObject } from 'typebox'
import { optionalText } from '@posthorn/system'
import { postgresTransport } from '@posthorn/transports/postgres'
import {
  KAFKA_ACCESS,
  SQS_ACCESS,
  readAccess,
  readKafkaAccess,
  readSqsAccess,
  type BrokerAccess,
} from './broker-access.ts'
import { tlsSettings } from './tls-files.ts'
import type { Configuration } from '../configuration/configuration.ts'

/** A broker to send to and to read from. */
export type Broker = Transport & Subscriber & Partial<Pick<RabbitmqTransport, 'declareQueue'>>

/** What every broker is opened with besides its address. */
export interface OpeningOptions {
  readonly log: Log
  readonly deadLetters: Pool
}

interface CatalogueEntry {
  /** The environment variable that has its address; without it the topics in Postgres stand in. */
  readonly variable: string
  readonly setting: ReturnType<typeof optionalText>
  /** For people: what it is and where, without secrets. */
  describe(access: BrokerAccess): string
  /** Loads the broker's client, which takes its time; connects to nothing before it is used. */
  open(access: BrokerAccess, options: OpeningOptions): Promise<Broker>
}

/**
 * Every broker the server can use, by the name that destinations and consumers use. Configuration,
 * readiness, the welcome and the doctor follow from it.
 */
export const BROKERS = {
  kafka: {
    variable: 'KAFKA_BROKERS',
    setting: optionalText('host:port, separated by commas', {
      pattern: '^[^\\s,:]+:\\d+(\\s*,\\s*[^\\s,:]+:\\d+)*$',
    }),
    describe: (access) => `Kafka at ${listKafkaBrokers(access).join(', ')}`,
    async open(access, options) {
      const { kafkaTransport } = await import('@posthorn/transports/kafka')
      const { address: _, ...security } = access
      return kafkaTransport({ brokers: listKafkaBrokers(access), ...security, ...options })
    },
  },
  rabbitmq: {
    variable: 'RABBITMQ_URL',
    setting: optionalText(
      'amqp(s)://user:password@host:5672/vhost; for a cluster several hosts, separated by commas',
      { secret: true, pattern: '^amqps?://\\S+$' },
    ),
    describe: ({ address }) => `RabbitMQ at ${hostsOf(address)}`,
    async open({ address, tls }, options) {
      const { rabbitmqTransport } = await import('@posthorn/transports/rabbitmq')
      return rabbitmqTransport({ url: address, ...(tls && { tls }), ...options })
    },
  },
  nats: {
    variable: 'NATS_URL',
    setting: optionalText(
      'nats: or tls://user:password@host:4222, with JetStream; for a cluster several hosts, separated by commas',
      { secret: true, pattern: '^(nats|tls)://[^\\s/]+$' },
    ),
    describe: ({ address }) => `NATS at ${hostsOf(address)}`,
    async open({ address, tls }, options) {
      const { natsTransport } = await import('@posthorn/transports/nats')
      return natsTransport({ url: address, ...(tls && { tls }), ...options })
    },
  },
  redis: {
    variable: 'REDIS_URL',
    setting: optionalText('redis: or rediss://user:password@host:6379/0, Redis 7 or newer', {
      secret: true,
      pattern: '^rediss?://[^\\s,]+$',
    }),
    describe: ({ address }) => `Redis at ${hostsOf(address)}`,
    async open({ address, tls }, options) {
      const { redisTransport } = await import('@posthorn/transports/redis')
      return redisTransport({ url: address, ...(tls && { tls }), ...options })
    },
  },
  sqs: {
    variable: 'SQS_ENDPOINT',
    setting: optionalText(
      'https://sqs.eu-central-1.amazonaws.com, or a compatible server; credentials by the AWS chain',
      { pattern: '^https?://[^\\s/@]+/?$' },
    ),
    describe: ({ address }) => `SQS at ${hostsOf(address)}`,
    async open(access, options) {
      const { sqsTransport } = await import('@posthorn/transports/sqs')
      return sqsTransport({ ...sqsOptionsOf(access), ...options })
    },
  },
} as const satisfies Readonly<Record<string, CatalogueEntry>>

export type BrokerName = keyof typeof BROKERS

export const BROKER_NAMES = Object.keys(BROKERS) as BrokerName[]

/** How the brokers that are configured are reached. */
export type BrokerAccesses = Readonly<Partial<Record<BrokerName, BrokerAccess>>>

/** The variables of all brokers, for the server's settings. */
export const BROKER_SETTINGS = {
  KAFKA_BROKERS: BROKERS.kafka.setting,
  ...KAFKA_ACCESS,
  RABBITMQ_URL: BROKERS.rabbitmq.setting,
  ...tlsSettings('RABBITMQ', 'an amqps: broker'),
  NATS_URL: BROKERS.nats.setting,
  ...tlsSettings('NATS', 'a tls: server'),
  REDIS_URL: BROKERS.redis.setting,
  ...tlsSettings('REDIS', 'a rediss: server'),
  SQS_ENDPOINT: BROKERS.sqs.setting,
  ...SQS_ACCESS,
}

export function readBrokers(values: BrokerValues): BrokerAccesses {
  const { KAFKA_BROKERS: kafka, RABBITMQ_URL: rabbitmq, NATS_URL: nats, REDIS_URL: redis } = values
  const { SQS_ENDPOINT: sqs } = values
  return {
    ...(kafka !== undefined && { kafka: readKafkaAccess(kafka, values) }),
    ...(rabbitmq !== undefined && { rabbitmq: readAccess('RABBITMQ', rabbitmq, values) }),
    ...(nats !== undefined && { nats: readAccess('NATS', nats, values) }),
    ...(redis !== undefined && { redis: readAccess('REDIS', redis, values) }),
    ...(sqs !== undefined && { sqs: readSqsAccess(sqs, values) }),
  }
}

type BrokerValues = Static<TObject<typeof BROKER_SETTINGS>>

/** What is between the credentials and the path: of a cluster more than a URL knows of. */
function hostsOf(address: string): string {
  return /^\w+:\/\/(?:[^@/]*@)?([^/?]*)/.exec(address)?.[1] ?? ''
}

export function listKafkaBrokers({ address }: BrokerAccess): string[] {
  return address.split(',').map((broker) => broker.trim())
}

export function sqsOptionsOf({ address: endpoint, region = 'us-east-1', prefix }: BrokerAccess) {
  return { endpoint, region, ...(prefix !== undefined && { prefix }) }
}

/** Live brokers by the name that destinations and consumers use. */
export interface Brokers {
  readonly byName: Readonly<Record<string, Broker>>
  /** For people: which name leads where. */
  readonly where: Readonly<Record<string, string>>
  close(): Promise<void>
}

interface BrokerOptions {
  readonly configuration: Pick<Configuration, 'brokers'>
  readonly pool: Pool
  readonly log: Log
}

/**
 * `topics` and every broker of the catalogue. What is not configured leads to the topics in Postgres,
 * so that a system names what it wants and runs with what there is. Nothing is connected before it is
 * used.
 */
export async function openBrokers(options: BrokerOptions): Promise<Brokers> {
  const { configuration, pool, log } = options
  const topics: Broker = postgresTransport({ pool, log })
  const byName: Record<string, Broker> = { topics }
  const where: Record<string, string> = { topics: 'PostgreSQL' }
  for (const name of BROKER_NAMES) {
    const access = configuration.brokers[name]
    byName[name] = access ? await BROKERS[name].open(access, { log, deadLetters: pool }) : topics
    where[name] = access ? BROKERS[name].describe(access) : 'PostgreSQL'
  }
  return {
    byName,
    where,
    async close() {
      await Promise.all([...new Set(Object.values(byName))].map((broker) => broker.close()))
    },
  }
}
