import {
  silentLog,
  toMs,
  type Consumer,
  type Duration,
  type Log,
  type Subscriber,
  type Transport,
} from '@posthorn/engine'
import { readingOf, type Reading, type ReadingOptions } from '../failures.ts'
import { TransportError } from '../errors.ts'
import { checkName } from '../names.ts'
import { QueueSession } from '../queue-session.ts'
import { addTo, keepSubscribed, type StartedSubscription } from '../subscription.ts'
import { createSlots } from '../timing.ts'
import { deliverInWaves } from '../wave.ts'
import { createSqs, type ClientOptions } from './client.ts'
import { createPublisher } from './publisher.ts'
import { readQueue } from './queue.ts'
import { countMessages, findQueue, listQueues, prefixOf, queueNameOf } from './queues.ts'
import { toPublication } from './wire.ts'

export interface SqsOptions extends ReadingOptions {
  readonly region: string
  /** Another address than the region's own, as `http://127.0.0.1:9324`. */
  readonly endpoint?: string
  /** Default: as all programs of Amazon find them (environment, profile, role). */
  readonly credentials?: NonNullable<ClientOptions['credentials']>
  readonly log?: Log
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
  /** Handlers at once in one subscription; messages of one key never at once. Default 8. */
  readonly concurrency?: number
}

export interface SqsTransport extends Transport, Required<Subscriber> {
  ping(): Promise<void>
  /** Makes a group's queue without reading it, so that what is sent before its consumer comes is kept. */
  declareQueue(topic: string, group: string): Promise<void>
}

/** How long it is believed which queues a topic has. */
const KNOWN_MS = 30_000

/**
 * Amazon SQS, or what speaks as it does: a group is a FIFO queue of a topic, and SQS itself gives out
 * the messages of a key one after the other. The id of a message is what SQS tells repeats by.
 */
export function sqsTransport(options: SqsOptions): SqsTransport {
  const { region, endpoint, credentials, log = silentLog, source = 'posthorn' } = options
  const { prefix = 'posthorn_', maxMessageBytes = 256 * 1024, concurrency = 8 } = options
  const timeoutMs = toMs(options.timeout ?? '5s')
  const sessionMs = toMs(options.session ?? '30s')
  const keepMs = toMs(options.keep ?? '7d')
  const making = options.createQueues === false ? undefined : { sessionMs, keepMs }
  const { ask, close } = createSqs({ region, endpoint, credentials, timeoutMs })
  const known = new Map<string, { until: number; queues: Promise<readonly string[]> }>()
  const subscriptions = new Set<StartedSubscription>()

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

  const publisher = createPublisher({
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

  const subscribe = (consumer: Consumer, reading: Reading): StartedSubscription =>
    keepSubscribed(consumer, log, async () => {
      const queue = await queueOf(consumer.topic, consumer.group)
      known.delete(consumer.topic)
      const prefetch = 2 * Math.max(concurrency, consumer.batch?.size ?? 0)
      // Anew for each session: a handler left over from the last one must not hold a slot here.
      const slots = createSlots(concurrency)
      return QueueSession.open(readQueue({ consumer, queue, ask, prefetch, sessionMs }), {
        ...{ ...reading, consumer, log, slots, concurrency },
        sharesKeys: true,
      })
    })

  return {
    deliver: (batch, how) =>
      deliverInWaves(batch, how, {
        write(delivery) {
          checkName(delivery.destination.topic)
          return toPublication(delivery, { source, maxMessageBytes })
        },
        publish: (wave) => publisher.publish(wave),
      }),
    async subscribe(consumer) {
      queueNameOf(prefix, consumer.topic, consumer.group)
      return addTo(subscriptions, subscribe(consumer, readingOf(options)))
    },
    async lag({ topic, group }) {
      const queue = await findQueue(ask, queueNameOf(prefix, topic, group))
      return queue === undefined ? 0 : countMessages(ask, queue)
    },
    async declareQueue(topic, group) {
      await queueOf(topic, group)
      known.delete(topic)
    },
    async ping() {
      await listQueues(ask, prefix)
    },
    async close() {
      await Promise.all([...subscriptions].map((subscription) => subscription.close()))
      close()
    },
  }
}
