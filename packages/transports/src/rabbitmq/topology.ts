import type { AMQPChannel, AMQPClient } from '@cloudamqp/amqp-client'
import { TransportError } from '../errors.ts'
import { replyCode } from './connection.ts'
import { queueName } from './wire.ts'

/**
 * Makes sure that a durable topic exchange is there. One that exists as another type is used as it
 * is; with `declare: false` nothing is made.
 */
export async function ensureExchange(
  client: AMQPClient,
  name: string,
  { declare }: { declare: boolean },
): Promise<void> {
  if (declare) {
    try {
      return await onSpareChannel(client, (channel) => channel.exchangeDeclare(name, 'topic'))
    } catch (error) {
      if (replyCode(error) !== 406) throw error
    }
  }
  try {
    await onSpareChannel(client, (channel) =>
      channel.exchangeDeclare(name, 'topic', { passive: true }),
    )
  } catch (cause) {
    if (replyCode(cause) !== 404) throw cause
    throw new TransportError('TOPIC_MISSING', `there is no exchange "${name}"`, { cause })
  }
}

export interface QueueOptions {
  /** Kept on several nodes (`quorum`, the default) or on one (`classic`). */
  readonly queueType: 'quorum' | 'classic'
  /**
   * `standby`: one member of a group reads, the others wait for its end; keeps the order. `compete`:
   * all read at once; no order.
   */
  readonly members: 'standby' | 'compete'
  /** Routing patterns the queue is bound with. */
  readonly patterns: readonly string[]
  /** The oldest go when there are more. Default no limit. */
  readonly maxLength?: number
}

/**
 * A message that is put back this often is thrown away by a quorum queue: 20 times, by default, from
 * RabbitMQ 4 on. We never want that, and a limit, however high, also makes it go back to the front.
 */
const DELIVERY_LIMIT = 1_000_000_000

/** Makes sure that the group's queue is there and bound; returns its name. */
export async function ensureQueue(
  client: AMQPClient,
  { topic, group }: { topic: string; group: string },
  options: QueueOptions,
): Promise<string> {
  const name = queueName(topic, group)
  const settings: Record<string, unknown> = { 'x-queue-type': options.queueType }
  if (options.queueType === 'quorum') settings['x-delivery-limit'] = DELIVERY_LIMIT
  if (options.members === 'standby') settings['x-single-active-consumer'] = true
  if (options.maxLength !== undefined) settings['x-max-length'] = options.maxLength
  try {
    await onSpareChannel(client, async (channel) => {
      await channel.queueDeclare(name, { durable: true }, settings)
      for (const pattern of options.patterns) await channel.queueBind(name, topic, pattern)
    })
  } catch (cause) {
    if (replyCode(cause) !== 406) throw cause
    throw new TransportError(
      'QUEUE_MISMATCH',
      `queue "${name}" exists with other settings; delete it or ask for the same ones`,
      { cause },
    )
  }
  return name
}

/**
 * How many messages wait in a queue; 0 where there is none. What was given to a consumer and is not
 * acknowledged does not count: that is no more than its prefetch.
 */
export async function queueDepth(client: AMQPClient, name: string): Promise<number> {
  let depth = 0
  try {
    await onSpareChannel(client, async (channel) => {
      const { messageCount } = await channel.queueDeclare(name, { passive: true })
      depth = messageCount
    })
  } catch (error) {
    if (replyCode(error) !== 404) throw error
  }
  return depth
}

/** The broker answers a wrong declaration by closing the channel: it must not be one in use. */
async function onSpareChannel(
  client: AMQPClient,
  work: (channel: AMQPChannel) => Promise<unknown>,
): Promise<void> {
  const channel = await client.channel()
  channel.onerror = () => undefined
  await work(channel)
  await channel.close()
}
