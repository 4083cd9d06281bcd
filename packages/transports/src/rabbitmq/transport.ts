import type { AMQPTlsOptions, AMQPChannel, AMQPMessage } from '@cloudamqp/amqp-client'
import { silentLog, toMs, type Duration } from '@posthorn/engine'
import { checkName } from '../names.ts'
import type { Incoming, Queue } from '../queue/queue-session.ts'
import {
  queueTransport,
  type QueueTransport,
  type QueueTransportOptions,
} from '../queue/queue-transport.ts'
import { createConnection } from './connection.ts'
import { createPublisher } from './publisher.ts'
import { ensureExchange, ensureQueue, queueDepth, type QueueOptions } from './topology.ts'
import { queueName, toPublication, bodyOf, fromDelivery, headersOf, unreadableId } from './wire.ts'

export interface RabbitmqOptions extends QueueTransportOptions {
  /** `amqp://user:password@host:5672/vhost`, or `amqps:`; of a cluster `…@a:5672,b:5672/vhost`. */
  readonly url: string
  /** For `amqps:`: certificates and keys other than the system's. */
  readonly tls?: AMQPTlsOptions
  /** CloudEvents `source` of what is sent. Default `posthorn`. */
  readonly source?: string
  /** How long to wait for a connection, and again for the confirms of a wave. Default 5 s. */
  readonly timeout?: Duration
  /** Make missing exchanges (durable, type topic). Default true. */
  readonly declare?: boolean
  /** What the broker takes; RabbitMQ 4's default is the default here: 16 MiB. */
  readonly maxMessageBytes?: number
  /** Of the queues of groups. Default `quorum`. */
  readonly queueType?: QueueOptions['queueType']
  /** Whether members of a group stand by (keeps the order) or compete. Default `standby`. */
  readonly members?: QueueOptions['members']
  /** Routing patterns of a group's queue. Default `#`, everything. */
  readonly patterns?: (topic: string, group: string) => readonly string[]
  /** Handlers at once in one subscription; messages of one key never at once. Default 1. */
  readonly concurrency?: number
  /** Messages received ahead. Default 50, or twice the concurrency. */
  readonly prefetch?: number
}

export interface RabbitmqTransport extends QueueTransport {
  /**
   * Makes a group's queue without reading it, so that what is sent before its consumer comes is
   * kept; with `maxLength` only the newest.
   */
  declareQueue(topic: string, group: string, limits?: { maxLength?: number }): Promise<void>
}

/**
 * A topic is a durable topic exchange, a group a durable queue `<topic>.<group>` on it. The routing
 * key is the message's type, or `routingKey` among the destination's options.
 */
export function rabbitmqTransport(options: RabbitmqOptions): RabbitmqTransport {
  const { url, tls, log = silentLog, declare = true, concurrency = 1 } = options
  const { source = 'posthorn', maxMessageBytes = 16 * 1024 * 1024 } = options
  const timeoutMs = toMs(options.timeout ?? '5s')
  // Apart, because a broker short of memory blocks connections that publish: reading must go on.
  const sending = createConnection({ url, tls, name: 'posthorn-send', timeoutMs, log })
  const reading = createConnection({ url, tls, name: 'posthorn-read', timeoutMs, log })
  const publish = createPublisher({ connection: sending, timeoutMs, declare })

  const queueOptions = (topic: string, group: string): QueueOptions => ({
    queueType: options.queueType ?? 'quorum',
    members: options.members ?? 'standby',
    patterns: options.patterns?.(topic, group) ?? ['#'],
  })

  const transport = queueTransport(
    {
      sharesKeys: false,
      write: (delivery) => toPublication(delivery, { source, maxMessageBytes }),
      publish,
      async queueOf({ topic, group }) {
        // Before the broker is asked: a name that is too long is no matter of time.
        queueName(topic, group)
        const client = await reading.open()
        await ensureExchange(client, topic, { declare })
        const queue = await ensureQueue(client, { topic, group }, queueOptions(topic, group))
        const channel = await client.channel()
        channel.onerror = () => undefined
        await channel.basicQos(options.prefetch ?? Math.max(50, 2 * concurrency))
        return readQueue(channel, queue)
      },
      async lag({ topic, group }) {
        return queueDepth(await reading.open(), queueName(topic, group))
      },
      async ping() {
        await sending.open()
      },
      async close() {
        await Promise.all([sending.close(), reading.close()])
      },
    },
    { ...options, concurrency },
  )

  return {
    ...transport,
    async declareQueue(topic, group, limits = {}) {
      const client = await reading.open()
      await ensureExchange(client, checkName(topic), { declare })
      await ensureQueue(client, { topic, group }, { ...queueOptions(topic, group), ...limits })
    },
  }
}

/** A queue read on a channel of its own, whose prefetch is set. */
function readQueue(channel: AMQPChannel, name: string): Queue {
  return {
    name,
    async open(take) {
      const consuming = await channel.basicConsume(name, { noAck: false }, (raw) =>
        take(toIncoming(name, raw)),
      )
      return { ended: consuming.wait().catch(() => undefined) }
    },
    close: () => channel.close(),
  }
}

function toIncoming(queue: string, raw: AMQPMessage): Incoming {
  return {
    ref: { queue, deliveryTag: raw.deliveryTag },
    redelivered: raw.redelivered,
    read: () => fromDelivery(raw),
    raw: () => ({ id: unreadableId(raw), headers: headersOf(raw), body: bodyOf(raw) }),
    ack: () => raw.ack(),
  }
}
