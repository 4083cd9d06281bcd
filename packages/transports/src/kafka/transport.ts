import {
  silentLog,
  toMs,
  type Duration,
  type Log,
  type Subscriber,
  type Transport,
  type Destination,
} from '@posthorn/engine'
import { type Reference } from '@posthorn/engine/internal'
import {
  Admin,
  Producer,
  stringSerializers,
  type ConnectionOptions,
  ListOffsetTimestamps,
  UserError,
} from '@platformatic/kafka'
import { readingOf, type ReadingOptions } from '../consume/failures.ts'
import { checkName, groupIdOf, groupOf } from '../names.ts'
import { addTo, keepSubscribed, type StartedSubscription } from '../consume/subscription.ts'
import { within } from '../timing.ts'
import { clientOptions, GroupSession, type GroupSessionOptions } from './session.ts'
import { createDeliver } from './deliver.ts'
import { finalError } from './failure.ts'
import { createSchemaRegistry, type SchemaRegistryOptions } from './schema-registry.ts'
import { createSender, partitionCount, type TopicCreation } from './sender.ts'

export interface KafkaOptions extends ReadingOptions {
  /** `host:port` of some brokers; the others are found through them. */
  readonly brokers: readonly string[]
  readonly log?: Log
  /** Shown in the brokers' logs and metrics. Default `posthorn`. */
  readonly clientId?: string
  readonly tls?: ConnectionOptions['tls']
  readonly sasl?: ConnectionOptions['sasl']
  /** CloudEvents `source` of what is sent. Default `posthorn`. */
  readonly source?: string
  /** How long to wait for a connection, and again for an answer. Default 5 s. */
  readonly timeout?: Duration
  /** How missing topics are made; `false`: they are not. Default with 8 partitions. */
  readonly createTopics?: TopicCreation | false
  /** Where a new group begins. Default `earliest`. */
  readonly from?: 'earliest' | 'latest'
  /** After this time without a heartbeat a member's partitions go to others. Default 30 s. */
  readonly session?: Duration
  /** How often offsets are committed; what was handled since comes again after a crash. Default 200 ms. */
  readonly commitEvery?: Duration
  /** Handlers at once in one subscription; never two on one partition. Default 8. */
  readonly concurrency?: number
  /** Records are sent in the wire format of Schema Registry, with the id of a JSON Schema; read either way. */
  readonly schemaRegistry?: SchemaRegistryOptions
}

export type KafkaTransport = Required<Omit<Transport, 'takes'>> & Required<Subscriber>

/**
 * Apache Kafka: an idempotent producer with `acks=all`, keys partitioned as the Java client does,
 * consumer groups with explicit commits. A destination's option `group` is for `passed`.
 */
export function kafkaTransport(options: KafkaOptions): KafkaTransport {
  const { log = silentLog, source = 'posthorn', createTopics = {} } = options
  const timeoutMs = toMs(options.timeout ?? '5s')
  const settings = {
    clientId: options.clientId ?? 'posthorn',
    brokers: options.brokers,
    timeoutMs,
    tls: options.tls,
    sasl: options.sasl,
  }
  const base = clientOptions(settings)
  // The relay tries again; here a second attempt would only make the answer late.
  const admin = new Admin({ ...base, retries: false })
  const bytesOf = cacheBytes()
  const repeatBytes = (text?: string) => (text === undefined ? undefined : bytesOf(text))
  const producer = new Producer({
    ...base,
    retries: false,
    idempotent: true,
    serializers: {
      key: stringSerializers.key,
      value: (value?: string | Buffer) => (typeof value === 'string' ? Buffer.from(value) : value),
      headerKey: repeatBytes,
      headerValue: repeatBytes,
    },
  })
  const subscriptions = new Set<StartedSubscription>()
  const making = { admin, creation: createTopics === false ? undefined : createTopics }

  const registry = options.schemaRegistry && createSchemaRegistry(options.schemaRegistry, timeoutMs)

  const deliver = createDeliver({
    source,
    registry,
    sender: createSender(producer),
    findTopic: (topic) => partitionCount(producer, checkName(topic), making),
  })

  return {
    deliver,
    passed: (sent) => arePassed(admin, sent),
    lag: ({ topic, group }) => lagOf(admin, checkName(topic), checkName(group)),

    async ping() {
      await Promise.all([admin.metadata({ topics: [], forceUpdate: true }), registry?.ping()])
    },

    async subscribe(consumer) {
      const sessionOptions: GroupSessionOptions = {
        consumer,
        settings,
        log,
        concurrency: options.concurrency ?? 8,
        ...readingOf(options),
        from: options.from ?? 'earliest',
        sessionMs: toMs(options.session ?? '30s'),
        commitEveryMs: toMs(options.commitEvery ?? '200ms'),
      }
      checkName(consumer.topic)
      checkName(consumer.group)
      const subscription = keepSubscribed(consumer, log, async (signal) => {
        try {
          await partitionCount(admin, consumer.topic, { ...making, signal })
          return await GroupSession.open(sessionOptions)
        } catch (error) {
          throw finalError(error)
        }
      })
      return addTo(subscriptions, subscription)
    },

    async close() {
      await Promise.all([...subscriptions].map((subscription) => subscription.close()))
      const closing = Promise.allSettled([producer.close(), admin.close(), registry?.close()])
      await within(closing, timeoutMs, () => undefined)
    },
  }
}

/** For each message, in order: whether its destination's group has committed past it. */
async function arePassed(
  admin: Admin,
  sent: readonly { destination: Destination; ref: Reference }[],
): Promise<boolean[]> {
  const places = sent.map(({ destination, ref }) => ({
    group: groupOf(destination) && groupIdOf(destination.topic, groupOf(destination)),
    topic: destination.topic,
    partition: Number(ref['partition']),
    offset: BigInt(ref['offset'] ?? 0),
  }))
  const committed = new Map<string, bigint>()
  for (const [groupId, mine] of Map.groupBy(places, ({ group }) => group)) {
    if (groupId === '') continue
    const byTopic = Map.groupBy(mine, ({ topic }) => topic)
    const topics = [...byTopic].map(([name, each]) => ({
      name,
      partitionIndexes: [...new Set(each.map(({ partition }) => partition))],
    }))
    for (const group of await admin.listConsumerGroupOffsets({ groups: [{ groupId, topics }] })) {
      for (const { name, partitions } of group.topics) {
        for (const { partitionIndex, committedOffset } of partitions) {
          committed.set(`${groupId}/${name}/${partitionIndex}`, committedOffset)
        }
      }
    }
  }
  return places.map(
    ({ group, topic, partition, offset }) =>
      (committed.get(`${group}/${topic}/${partition}`) ?? -1n) > offset,
  )
}

/** How many records of the topic the group has not committed; all that are kept if it never read. */
async function lagOf(admin: Admin, topic: string, group: string): Promise<number> {
  const partitions = await partitionsOf(admin, topic)
  const at = async (timestamp: bigint) => {
    const listed = await admin.listOffsets({
      topics: [
        {
          name: topic,
          partitions: partitions.map((partitionIndex) => ({ partitionIndex, timestamp })),
        },
      ],
    })
    return new Map(
      listed.flatMap((each) => each.partitions.map((p) => [p.partitionIndex, p.offset] as const)),
    )
  }
  if (partitions.length === 0) return 0
  const [first, end] = await Promise.all([
    at(ListOffsetTimestamps.EARLIEST),
    at(ListOffsetTimestamps.LATEST),
  ])
  const groups = await admin.listConsumerGroupOffsets({
    groups: [
      { groupId: groupIdOf(topic, group), topics: [{ name: topic, partitionIndexes: partitions }] },
    ],
  })
  const committed = new Map(
    groups.flatMap(({ topics }) =>
      topics.flatMap((each) =>
        each.partitions.map((p) => [p.partitionIndex, p.committedOffset] as const),
      ),
    ),
  )
  return partitions.reduce((lag, each) => {
    const start = first.get(each) ?? 0n
    const done = committed.get(each) ?? -1n
    return lag + Number((end.get(each) ?? 0n) - (done > start ? done : start))
  }, 0)
}

async function partitionsOf(admin: Admin, topic: string): Promise<number[]> {
  try {
    const { topics } = await admin.metadata({ topics: [topic] })
    return [...(topics.get(topic)?.partitions.keys() ?? [])]
  } catch (error) {
    // The library's word for a topic that the brokers do not know.
    if (error instanceof UserError) return []
    throw error
  }
}

/** What is longer is hardly ever the same twice: an id, a trace. */
const MOST_CHARS = 32
const MOST_TEXTS = 500

/**
 * Turns texts into bytes and remembers the short ones: of the dozen headers of a record, all names and
 * most values are those of the record before. When it is full it begins anew, so that what does not
 * come again takes no room for long.
 */
export function cacheBytes(): (text: string) => Buffer {
  const known = new Map<string, Buffer>()
  return (text) => {
    if (text.length > MOST_CHARS) return Buffer.from(text)
    const found = known.get(text)
    if (found) return found
    if (known.size >= MOST_TEXTS) known.clear()
    const bytes = Buffer.from(text)
    known.set(text, bytes)
    return bytes
  }
}
