import { toMs, type Duration, type Subscriber, type Transport } from '@posthorn/engine'
import { TransportError } from '../errors.ts'
import { groupOf } from '../names.ts'
import { queueTransport, type QueueTransportOptions } from '../queue/queue-transport.ts'
import {
  createConnection,
  type ConnectionOptions,
  type RedisClient,
  countPartitions,
  findPosition,
  findTopic,
  isAfter,
  isPending,
  keysOf,
} from './streams.ts'
import { createPublisher } from './publisher.ts'
import { readTopic } from './queue.ts'
import { toPublication } from './wire.ts'

export interface RedisOptions extends QueueTransportOptions {
  /** `redis://user:password@host:6379/0`, or `rediss:` for an encrypted connection. */
  readonly url: string
  /** For `rediss:`: certificates and keys other than the system's. */
  readonly tls?: NonNullable<ConnectionOptions['tls']>
  /** CloudEvents `source` of what is sent. Default `posthorn`. */
  readonly source?: string
  /** How long to wait for a connection, and again for an answer. Default 5 s. */
  readonly timeout?: Duration
  /** Before the names of all keys. Default `posthorn:`. */
  readonly prefix?: string
  /** Of topics that do not exist yet; `false`: they are not made. Default 8. */
  readonly partitions?: number | false
  /** How long a stream keeps messages, read or not; 0: for ever. Default 7 days. */
  readonly keep?: Duration | 0
  /** So many replicas must have a message before it counts as delivered. Default 0. */
  readonly replicas?: number
  /** The largest message that is sent. Default 1 MiB: the server keeps all of them in memory. */
  readonly maxMessageBytes?: number
  /** Where a new group begins. Default `earliest`. */
  readonly from?: 'earliest' | 'latest'
  /** After this time without a sign of a member its messages go to others. Default 30 s. */
  readonly session?: Duration
}

export interface RedisTransport extends Required<Omit<Transport, 'takes'>>, Required<Subscriber> {
  /** How many partitions a topic has; 0 where it is not there. */
  partitions(topic: string): Promise<number>
  /** What the server does about what it has taken. */
  durability(): Promise<Durability>
}

/**
 * Redis Streams: a topic is a stream for each partition, to which a message's key leads. A member of a
 * group has the next few messages of a partition until they are done, then any member may have those
 * behind them. A destination's option `group` is for `passed`.
 */
export function redisTransport(options: RedisOptions): RedisTransport {
  const { url, tls, source = 'posthorn', prefix = 'posthorn:' } = options
  const { maxMessageBytes = 1024 * 1024, from = 'earliest', concurrency = 8 } = options
  const partitions = options.partitions === false ? undefined : (options.partitions ?? 8)
  const { keep = '7d', replicas = 0 } = options
  const timeoutMs = toMs(options.timeout ?? '5s')
  const sessionMs = toMs(options.session ?? '30s')
  const keepMs = keep === 0 ? 0 : toMs(keep)
  const connection = createConnection({ url, timeoutMs, tls })
  const publish = createPublisher({
    ...{ connection, timeoutMs, prefix, partitions, keepMs, replicas },
  })

  /** Asks the server, in bounded time. */
  const ask = <Answer>(question: (client: RedisClient) => Promise<Answer>): Promise<Answer> =>
    connection.within(connection.open().then(question), 2 * timeoutMs)

  const transport = queueTransport(
    {
      write: (delivery) => toPublication(delivery, { source, maxMessageBytes }),
      publish,
      queueOf: (consumer) =>
        ask(async (client) => {
          const keys = keysOf(prefix, consumer.topic)
          const found = await findTopic(client, keys, partitions)
          if (found === 0) throw new TransportError('TOPIC_MISSING', `no topic ${consumer.topic}`)
          const prefetch = 2 * Math.max(concurrency, consumer.batch?.size ?? 0)
          const queue = readTopic(client, {
            ...{ consumer, keys, partitions: found, prefetch, from, sessionMs, timeoutMs },
          })
          return { ...queue, open: (take) => ask(() => queue.open(take)) }
        }),
      lag: ({ topic, group }) =>
        ask(async (client) => {
          const keys = keysOf(prefix, topic)
          const count = await countPartitions(client, keys)
          const positions = await Promise.all(
            Array.from({ length: count }, (_, at) => findPosition(client, keys.stream(at), group)),
          )
          return positions.reduce((sum, at) => sum + (at ? at.pending + at.ahead : 0), 0)
        }),
      async ping() {
        await ask((client) => client.ping())
      },
      close: () => connection.close(),
    },
    options,
  )

  return {
    ...transport,
    passed: (sent) =>
      ask((client) => {
        const positions = new Map<string, ReturnType<typeof findPosition>>()
        const isPassed = async (stream: string, group: string, id: string): Promise<boolean> => {
          const asked = positions.get(`${stream} ${group}`) ?? findPosition(client, stream, group)
          positions.set(`${stream} ${group}`, asked)
          const position = await asked
          if (!position || isAfter(id, position.lastDelivered)) return false
          return position.pending === 0 || !(await isPending(client, { stream, group, id }))
        }
        return Promise.all(
          sent.map(async ({ destination, ref }) => {
            const group = groupOf(destination)
            const stream = keysOf(prefix, destination.topic).stream(Number(ref['partition']))
            return group === '' ? false : isPassed(stream, group, String(ref['id']))
          }),
        )
      }),
    partitions: (topic) => ask((client) => countPartitions(client, keysOf(prefix, topic))),
    durability: () => ask(readDurability),
  }
}

/** What a server does about what it has taken. */
interface Durability {
  readonly version: string
  /** Whether it writes what it takes to its disk as it comes. */
  readonly appendOnly: boolean
  /** What it drops when its memory is full; `noeviction` is nothing. */
  readonly evictionPolicy: string
  readonly replicas: number
}

async function readDurability(client: RedisClient): Promise<Durability> {
  const fields = new Map(
    (await client.info()).split(/\r?\n/).map((line): [string, string] => {
      const [name = '', value = ''] = line.split(/:(.*)/)
      return [name, value]
    }),
  )
  return {
    version: fields.get('redis_version') ?? 'unknown',
    appendOnly: fields.get('aof_enabled') === '1',
    evictionPolicy: fields.get('maxmemory_policy') ?? 'unknown',
    replicas: Number(fields.get('connected_slaves') ?? 0),
  }
}
