import { toMs, type Duration } from '@posthorn/engine'
import { TransportError } from '../errors.ts'
import {
  queueTransport,
  type QueueTransport,
  type QueueTransportOptions,
} from '../queue/queue-transport.ts'
import { createSqs, type ClientOptions } from './client.ts'
import { createPublisher } from './publisher.ts'
import { readQueue } from './queue.ts'
import { countMessages, findQueue, listQueues, prefixOf, queueNameOf } from './queues.ts'
import { toPublication } from './wire.ts'

export interface SqsOptions extends QueueTransportOptions {
  readonly region: string
  /** Another address than the region's own, as `http://127.0.0.1:9324`. */
  readonly endpoint?: string
  /** Default: as all programs of Amazon find them (environment, profile, role). */
  readonly credentials?: NonNullable<ClientOptions['credentials']>
  /** CloudEvents `source` of what is sent. Default `posthorn`. */
  readonly source?: string
  /** How long to wait for an answer. Default 5 s. */
  readonly timeout?: Duration
  /** Before the names of all queues. Default `posthorn_`. */
  readonly prefix?: string
  /**
   * The groups that read a topic: messages are sent to the queue of each. Default: those whose queues
   * are there, looked for every 30 s.
   */
  readonly groups?: (topic: string) => readonly string[]
  /** Make the queues of groups. Default true. */
  readonly createQueues?: boolean
  /** How long new queues keep messages. Default 7 days; SQS allows 14. */
  readonly keep?: Duration
  /** What SQS takes in one message, and in one request. Default 256 KiB. */
  readonly maxMessageBytes?: number
  /** After this time without a sign of a member its messages go to others. Default 30 s. */
  readonly session?: Duration
}

export interface SqsTransport extends QueueTransport {
  /** Makes a group's queue without reading it, so that what is sent before its consumer comes is kept. */
  declareQueue(topic: string, group: string): Promise<void>
  /** How many groups have a queue of the topic. */
  queues(topic: string): Promise<number>
}

/** How long it is believed which queues a topic has. */
const KNOWN_MS = 30_000

/**
 * Amazon SQS, or what speaks as it does: a group is a FIFO queue of a topic, and SQS itself gives out
 * the messages of a key one after the other. The id of a message is what SQS tells repeats by.
 */
export function sqsTransport(options: SqsOptions): SqsTransport {
  const { region, endpoint, credentials, source = 'posthorn' } = options
  const { prefix = 'posthorn_', maxMessageBytes = 256 * 1024, concurrency = 8 } = options
  const timeoutMs = toMs(options.timeout ?? '5s')
  const sessionMs = toMs(options.session ?? '30s')
  const keepMs = toMs(options.keep ?? '7d')
  const making = options.createQueues === false ? undefined : { sessionMs, keepMs }
  const { ask, close } = createSqs({ region, endpoint, credentials, timeoutMs })
  const known = new Map<string, { until: number; queues: Promise<readonly string[]> }>()

  const queueOf = async (topic: string, group: string): Promise<string> => {
    const found = await findQueue(ask, queueNameOf(prefix, topic, group), making)
    if (found !== undefined) return found
    throw new TransportError('TOPIC_MISSING', `no queue of group ${group} for ${topic}`)
  }

  const lookFor = (topic: string): Promise<readonly string[]> => {
    const groups = options.groups?.(topic)
    if (groups) return Promise.all(groups.map((group) => queueOf(topic, group)))
    return listQueues(ask, prefixOf(prefix, topic))
  }

  const publish = createPublisher({
    ask,
    maxBatchBytes: maxMessageBytes,
    forget: (topic) => known.delete(topic),
    queuesOf(topic) {
      const before = known.get(topic)
      if (before && before.until > performance.now()) return before.queues
      const queues = lookFor(topic)
      known.set(topic, { until: performance.now() + KNOWN_MS, queues })
      queues.catch(() => known.delete(topic))
      return queues
    },
  })

  const transport = queueTransport(
    {
      write: (delivery) => toPublication(delivery, { source, maxMessageBytes }),
      publish,
      async queueOf(consumer) {
        const queue = await queueOf(consumer.topic, consumer.group)
        known.delete(consumer.topic)
        const prefetch = 2 * Math.max(concurrency, consumer.batch?.size ?? 0)
        return readQueue({ consumer, queue, ask, prefetch, sessionMs })
      },
      async lag({ topic, group }) {
        const queue = await findQueue(ask, queueNameOf(prefix, topic, group))
        return queue === undefined ? 0 : countMessages(ask, queue)
      },
      async ping() {
        await listQueues(ask, prefix)
      },
      close: async () => close(),
    },
    options,
  )

  return {
    ...transport,
    async declareQueue(topic, group) {
      await queueOf(topic, group)
      known.delete(topic)
    },
    async queues(topic) {
      return (await listQueues(ask, prefixOf(prefix, topic))).length
    },
  }
}
