import type { Log, Subscriber, Transport } from '@posthorn/engine'
import type { RabbitmqTransport } from '@posthorn/transports/rabbitmq'
import type { Pool } from 'pg'
import { Type, type TOptional, type TString } from 'typebox'

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
  readonly setting: TOptional<TString>
  /** For people: what it is and where, without secrets. */
  describe(address: string): string
  /** Loads the broker's client, which takes its time; connects to nothing before it is used. */
  open(address: string, options: OpeningOptions): Promise<Broker>
}

/**
 * Every broker the server can use, by the name that destinations and consumers use. Configuration,
 * readiness, the welcome and the doctor follow from it.
 */
export const BROKERS = {
  kafka: {
    variable: 'KAFKA_BROKERS',
    setting: Type.Optional(
      Type.String({
        description: 'Kafka brokers as host:port, with commas between',
        pattern: '^[^\\s,:]+:\\d+(\\s*,\\s*[^\\s,:]+:\\d+)*$',
      }),
    ),
    describe: (address) => `Kafka at ${listKafkaBrokers(address).join(', ')}`,
    async open(address, options) {
      const { kafkaTransport } = await import('@posthorn/transports/kafka')
      return kafkaTransport({ brokers: listKafkaBrokers(address), ...options })
    },
  },
  rabbitmq: {
    variable: 'RABBITMQ_URL',
    setting: Type.Optional(
      Type.String({
        description:
          'a RabbitMQ, as amqp(s)://user:password@host:5672/vhost; of a cluster several hosts, with commas between',
        secret: true,
        pattern: '^amqps?://\\S+$',
      }),
    ),
    describe: (address) => `RabbitMQ at ${hostsOf(address)}`,
    async open(address, options) {
      const { rabbitmqTransport } = await import('@posthorn/transports/rabbitmq')
      return rabbitmqTransport({ url: address, ...options })
    },
  },
} as const satisfies Readonly<Record<string, CatalogueEntry>>

export type BrokerName = keyof typeof BROKERS

export const BROKER_NAMES = Object.keys(BROKERS) as BrokerName[]

/** Addresses of the brokers that are configured, as their variables have them. */
export type BrokerAddresses = Readonly<Partial<Record<BrokerName, string>>>

type BrokerVariable = (typeof BROKERS)[BrokerName]['variable']

/** The variables of all brokers, for the server's settings. */
export const BROKER_SETTINGS = Object.fromEntries(
  Object.values(BROKERS).map(({ variable, setting }) => [variable, setting]),
) as Record<BrokerVariable, TOptional<TString>>

export function readBrokerAddresses(
  values: Readonly<Partial<Record<BrokerVariable, string>>>,
): BrokerAddresses {
  const given = BROKER_NAMES.map((name) => [name, values[BROKERS[name].variable]] as const)
  return Object.fromEntries(given.filter(([, address]) => address !== undefined))
}

/** What is between the credentials and the path: of a cluster more than a URL knows of. */
function hostsOf(address: string): string {
  return /^\w+:\/\/(?:[^@/]*@)?([^/?]*)/.exec(address)?.[1] ?? ''
}

export function listKafkaBrokers(address: string): string[] {
  return address.split(',').map((broker) => broker.trim())
}
