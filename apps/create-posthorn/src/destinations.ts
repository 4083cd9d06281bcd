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
  readonly dependencies?: Readonly<Record<string, string>>
  /** For the service's README. */
  readonly about: string
  /** Opens the broker, for those that have one. */
  readonly open?: string
}

export const DESTINATION_PARTS: Readonly<Record<(typeof DESTINATIONS)[number], DestinationParts>> =
  {
    handlers: {
      about: 'Messages are handled by functions of this process, in `src/shop.ts`.',
    },
    topics: {
      about: 'Messages go to topics in PostgreSQL, where consumers of any process read them.',
      open: '(pool) => postgresTransport({ pool })',
    },
    kafka: {
      dependencies: { '@platformatic/kafka': '^2.12.1' },
      about: 'Messages go to Kafka: set `KAFKA_BROKERS`, by default 127.0.0.1:9092.',
      open: `(pool) => {
  const brokers = (process.env['KAFKA_BROKERS'] ?? '127.0.0.1:9092').split(',')
  return kafkaTransport({ brokers, deadLetters: pool })
}`,
    },
    rabbitmq: {
      dependencies: { '@cloudamqp/amqp-client': '^4.1.1' },
      about: 'Messages go to RabbitMQ: set `RABBITMQ_URL`, by default amqp://127.0.0.1.',
      open: `(pool) => {
  const url = process.env['RABBITMQ_URL'] ?? 'amqp://guest:guest@127.0.0.1:5672'
  return rabbitmqTransport({ url, deadLetters: pool })
}`,
    },
    nats: {
      dependencies: { '@nats-io/jetstream': '^3.4.0', '@nats-io/transport-node': '^3.4.0' },
      about: 'Messages go to NATS JetStream: set `NATS_URL`, by default nats://127.0.0.1.',
      open: `(pool) => {
  const url = process.env['NATS_URL'] ?? 'nats://127.0.0.1:4222'
  return natsTransport({ url, deadLetters: pool })
}`,
    },
    redis: {
      dependencies: { '@redis/client': '^6.3.1' },
      about: 'Messages go to Redis Streams: set `REDIS_URL`, by default redis://127.0.0.1.',
      open: `(pool) => {
  const url = process.env['REDIS_URL'] ?? 'redis://127.0.0.1:6379'
  return redisTransport({ url, deadLetters: pool })
}`,
    },
    sqs: {
      dependencies: { '@aws-sdk/client-sqs': '^3.1164.0' },
      about:
        'Messages go to Amazon SQS in `AWS_REGION`, with the credentials that the SDK finds; `SQS_ENDPOINT` leads to another server.',
      open: `(pool) => {
  const region = process.env['AWS_REGION'] ?? 'eu-central-1'
  const endpoint = process.env['SQS_ENDPOINT']
  const groups = () => ['warehouse']
  return sqsTransport({ region, groups, deadLetters: pool, ...(endpoint && { endpoint }) })
}`,
    },
  }
