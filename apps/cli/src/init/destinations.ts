import type { InitOptions } from '../commands/init.ts'

/** What differs by where messages go. */
interface DestinationParts {
  readonly dependencies: Readonly<Record<string, string>>
  /** For the service's README. */
  readonly about: string
  /** The broker, for those that have one. */
  readonly broker?: { readonly imports: string; readonly open: string }
  /** What the tests use in a broker's place. */
  readonly inTests: { readonly imports: string; readonly argument: string }
}

const NONE = { imports: '', argument: '' }

/** Topics in PostgreSQL have the same form as a broker. */
const STAND_IN = {
  imports: `import { postgresTopics } from '@posthorn/transports/postgres'\n`,
  argument: ', (pool) => postgresTopics({ pool })',
}

export const DESTINATION_PARTS: Readonly<Record<InitOptions['to'], DestinationParts>> = {
  handlers: {
    dependencies: {},
    about: 'Messages are handled by functions of this process, in `src/shop.ts`.',
    inTests: NONE,
  },
  topics: {
    dependencies: {},
    about: 'Messages go to topics in PostgreSQL, where consumers of any process read them.',
    broker: {
      imports: `import { postgresTopics } from '@posthorn/transports/postgres'\n`,
      open: '(pool) => postgresTopics({ pool })',
    },
    inTests: NONE,
  },
  kafka: {
    dependencies: { '@platformatic/kafka': '^2.12.1' },
    about: 'Messages go to Kafka: set `KAFKA_BROKERS`, by default 127.0.0.1:9092.',
    broker: {
      imports: `import { kafkaTransport } from '@posthorn/transports/kafka'\n`,
      open: `(pool) => {
  const brokers = (process.env['KAFKA_BROKERS'] ?? '127.0.0.1:9092').split(',')
  return kafkaTransport({ brokers, deadLetters: pool })
}`,
    },
    inTests: STAND_IN,
  },
  rabbitmq: {
    dependencies: { '@cloudamqp/amqp-client': '^4.1.1' },
    about: 'Messages go to RabbitMQ: set `RABBITMQ_URL`, by default amqp://127.0.0.1.',
    broker: {
      imports: `import { rabbitmqTransport } from '@posthorn/transports/rabbitmq'\n`,
      open: `(pool) => {
  const url = process.env['RABBITMQ_URL'] ?? 'amqp://guest:guest@127.0.0.1:5672'
  return rabbitmqTransport({ url, deadLetters: pool })
}`,
    },
    inTests: STAND_IN,
  },
}
