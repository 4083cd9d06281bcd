export const DESTINATIONS = [
  'handlers',
  'topics',
  'kafka',
  'rabbitmq',
  'nats',
  'redis',
  'sqs',
] as const

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
  imports: `import { postgresTransport } from '@posthorn/transports/postgres'\n`,
  argument: ', (pool) => postgresTransport({ pool })',
}

export const DESTINATION_PARTS: Readonly<Record<(typeof DESTINATIONS)[number], DestinationParts>> =
  {
    handlers: {
      dependencies: {},
      about: 'Messages are handled by functions of this process, in `src/shop.ts`.',
      inTests: NONE,
    },
    topics: {
      dependencies: {},
      about: 'Messages go to topics in PostgreSQL, where consumers of any process read them.',
      broker: {
        imports: `import { postgresTransport } from '@posthorn/transports/postgres'\n`,
        open: '(pool) => postgresTransport({ pool })',
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
    nats: {
      dependencies: { '@nats-io/jetstream': '^3.4.0', '@nats-io/transport-node': '^3.4.0' },
      about: 'Messages go to NATS JetStream: set `NATS_URL`, by default nats://127.0.0.1.',
      broker: {
        imports: `import { natsTransport } from '@posthorn/transports/nats'\n`,
        open: `(pool) => {
  const url = process.env['NATS_URL'] ?? 'nats://127.0.0.1:4222'
  return natsTransport({ url, deadLetters: pool })
}`,
      },
      inTests: STAND_IN,
    },
    redis: {
      dependencies: { '@redis/client': '^6.3.1' },
      about: 'Messages go to Redis Streams: set `REDIS_URL`, by default redis://127.0.0.1.',
      broker: {
        imports: `import { redisTransport } from '@posthorn/transports/redis'\n`,
        open: `(pool) => {
  const url = process.env['REDIS_URL'] ?? 'redis://127.0.0.1:6379'
  return redisTransport({ url, deadLetters: pool })
}`,
      },
      inTests: STAND_IN,
    },
    sqs: {
      dependencies: { '@aws-sdk/client-sqs': '^3.1164.0' },
      about:
        'Messages go to Amazon SQS in `AWS_REGION`, with the credentials that the SDK finds; `SQS_ENDPOINT` leads to another server.',
      broker: {
        imports: `import { sqsTransport } from '@posthorn/transports/sqs'\n`,
        open: `(pool) => {
  const region = process.env['AWS_REGION'] ?? 'eu-central-1'
  const endpoint = process.env['SQS_ENDPOINT']
  const groups = () => ['warehouse']
  return sqsTransport({ region, groups, deadLetters: pool, ...(endpoint && { endpoint }) })
}`,
      },
      inTests: STAND_IN,
    },
  }
