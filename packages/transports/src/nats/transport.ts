import type { NodeConnectionOptions } from '@nats-io/transport-node'
import {
  toMs,
  type Destination,
  type Duration,
  type Subscriber,
  type Transport,
  delivered,
  retryLater,
  type Outcome,
} from '@posthorn/engine'
import { type Reference } from '@posthorn/engine/internal'
import { jetstream } from '@nats-io/jetstream'
import { groupOf, partitionOfKey } from '../names.ts'
import { queueTransport, type QueueTransportOptions } from '../queue/queue-transport.ts'
import { within } from '../timing.ts'
import { TransportError, UnreachableError } from '../errors.ts'
import {
  createConnection,
  consumerName,
  findConsumer,
  findStream,
  manage,
  streamName,
  type Connection,
  subjectOf,
  type StreamOptions,
} from './streams.ts'
import { readStream } from './queue.ts'
import { toPublication, type Publication } from './wire.ts'
import { publishEach, type WaveParts } from '../deliver/wave.ts'

export interface NatsOptions extends QueueTransportOptions {
  /** `nats://user:password@a:4222,b:4222`, `nats://token@…`, or `tls:` for an encrypted connection. */
  readonly url: string
  /** Certificates and keys other than the system's. */
  readonly tls?: NodeConnectionOptions['tls']
  /** CloudEvents `source` of what is sent. Default `posthorn`. */
  readonly source?: string
  /** How long to wait for a connection, and again for an answer. Default 5 s. */
  readonly timeout?: Duration
  /** How missing streams are made; `false`: they are not. Default 8 partitions, 7 days, 1 replica. */
  readonly createStreams?:
    { readonly partitions?: number; readonly keep?: Duration; readonly replicas?: number } | false
  /** What the server takes; NATS's default is the default here: 1 MiB. */
  readonly maxMessageBytes?: number
  /** Where a new group begins. Default `earliest`. */
  readonly from?: 'earliest' | 'latest'
  /** After this time without a sign of a member its messages go to others. Default 30 s. */
  readonly session?: Duration
}

export interface NatsTransport extends Required<Omit<Transport, 'takes'>>, Required<Subscriber> {
  /** How many partitions the stream of a topic has; 0 where there is none. */
  partitions(topic: string): Promise<number>
}

/**
 * NATS JetStream: a topic is a stream with a subject for each partition, to which a message's key
 * leads; a group is a durable consumer for each of them, which gives out one message at a time. A
 * destination's option `group` is for `passed`.
 */
export function natsTransport(options: NatsOptions): NatsTransport {
  const { url, tls, source = 'posthorn' } = options
  const { maxMessageBytes = 1024 * 1024, from = 'earliest', createStreams = {} } = options
  const timeoutMs = toMs(options.timeout ?? '5s')
  const sessionMs = toMs(options.session ?? '30s')
  const making = createStreams === false ? undefined : streamOptionsOf(createStreams)
  const connection = createConnection({ url, timeoutMs, tls })
  const publish = createPublisher({ connection, timeoutMs, making })

  /** What the server knows of a group's consumers, by partition. */
  const look = async (topic: string, group: string) => {
    const manager = await manage(await connection.open(), timeoutMs)
    const stream = await findStream(manager, topic)
    const partitions = Array.from({ length: stream?.partitions ?? 0 }, (_, at) => at)
    return Promise.all(
      partitions.map((at) => findConsumer(manager, streamName(topic), consumerName(group, at))),
    )
  }

  const transport = queueTransport(
    {
      write: (delivery) => toPublication(delivery, { source, maxMessageBytes }),
      publish,
      async queueOf(consumer) {
        streamName(consumer.topic)
        const client = await connection.open()
        const stream = await findStream(await manage(client, timeoutMs), consumer.topic, making)
        if (!stream) throw new TransportError('TOPIC_MISSING', `no stream for ${consumer.topic}`)
        return readStream(client, { consumer, stream, timeoutMs, from, sessionMs })
      },
      async lag({ topic, group }) {
        const infos = await look(topic, group)
        return infos.reduce(
          (sum, info) => sum + (info ? info.num_pending + info.num_ack_pending : 0),
          0,
        )
      },
      async ping() {
        const client = await connection.open()
        await within(client.rtt(), timeoutMs, () => {
          throw new Error(`no answer from NATS within ${timeoutMs} ms`)
        })
      },
      close: () => connection.close(),
    },
    options,
  )

  return {
    ...transport,
    async passed(sent) {
      const looks = new Map<string, ReturnType<typeof look>>()
      const lookOnce = ({ topic }: Destination, group: string) => {
        const found = looks.get(`${topic} ${group}`) ?? look(topic, group)
        looks.set(`${topic} ${group}`, found)
        return found
      }
      return Promise.all(
        sent.map(async ({ destination, ref }) => {
          const group = groupOf(destination)
          if (group === '') return false
          return isPassed(await lookOnce(destination, group), ref)
        }),
      )
    },
    async partitions(topic) {
      const manager = await manage(await connection.open(), timeoutMs)
      return (await findStream(manager, topic))?.partitions ?? 0
    },
  }
}

type Looked = Awaited<ReturnType<typeof findConsumer>>

function isPassed(infos: readonly Looked[], { partition, seq }: Reference): boolean {
  const info = infos[Number(partition)]
  return info !== undefined && info.ack_floor.stream_seq >= Number(seq)
}

function streamOptionsOf(given: Exclude<NatsOptions['createStreams'], false | undefined>) {
  const { partitions = 8, keep = '7d', replicas = 1 } = given
  return { partitions, maxAgeMs: toMs(keep), replicas }
}

interface PublisherOptions {
  readonly connection: Connection
  readonly timeoutMs: number
  /** How missing streams are made; undefined: they are not. */
  readonly making: StreamOptions | undefined
}

/** Publishes all at once and waits for the word on each. */
function createPublisher({
  connection,
  timeoutMs,
  making,
}: PublisherOptions): WaveParts<Publication>['publish'] {
  const partitionsOf = new Map<string, number>()
  let turn = 0

  /** Finds the streams of a wave; `unusable` has the outcome for those that cannot be used. */
  const prepare = async (wave: readonly Publication[]) => {
    const client = await connection.open()
    const unusable = new Map<string, Outcome>()
    for (const topic of new Set(wave.map((publication) => publication.topic))) {
      if (partitionsOf.has(topic)) continue
      try {
        const stream = await findStream(await manage(client, timeoutMs), topic, making)
        if (stream) partitionsOf.set(topic, stream.partitions)
        else unusable.set(topic, retryLater(new TransportError('TOPIC_MISSING')))
      } catch (error) {
        if (client.isClosed()) throw new UnreachableError('connection lost', { cause: error })
        unusable.set(topic, retryLater(error))
      }
    }
    return { client, stream: jetstream(client, { timeout: timeoutMs }), unusable }
  }

  const send = async (
    { client, stream, unusable }: Awaited<ReturnType<typeof prepare>>,
    { topic, key, headers, body }: Publication,
  ): Promise<Outcome> => {
    const outcome = unusable.get(topic)
    if (outcome) return outcome
    const partitions = partitionsOf.get(topic) ?? 1
    const partition = key === undefined ? turn++ % partitions : partitionOfKey(key, partitions)
    try {
      const subject = subjectOf(topic, partition)
      const { seq } = await stream.publish(subject, body, { headers, timeout: timeoutMs })
      return delivered({ partition, seq })
    } catch (cause) {
      // No answer may also mean that the stream was deleted: it is looked for again.
      partitionsOf.delete(topic)
      // The server may have taken it: a lost connection also loses the answer.
      const isLost = client.isClosed()
      return retryLater(
        isLost ? new TransportError('CONNECTION_LOST', undefined, { cause }) : cause,
      )
    }
  }

  return (wave) => publishEach(wave, { connection, timeoutMs, prepare, send })
}
