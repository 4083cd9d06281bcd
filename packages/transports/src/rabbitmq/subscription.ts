import { keepSubscribed, type StartedSubscription } from '../subscribing.ts'
import { createSlots } from '../waiting.ts'
import type { Connection } from './connection.ts'
import { QueueSession, type QueueSessionOptions } from './session.ts'
import { ensureExchange, ensureQueue, type QueueOptions } from './topology.ts'

export interface SubscriptionOptions extends Omit<QueueSessionOptions, 'queue' | 'slots'> {
  readonly connection: Connection
  readonly declare: boolean
  readonly queue: QueueOptions
  readonly prefetch: number
  readonly concurrency: number
}

/** Reads the group's queue until closed, on a new channel whenever the last one was lost. */
export function startSubscription(options: SubscriptionOptions): StartedSubscription {
  const { consumer, connection, log } = options
  return keepSubscribed(consumer, log, async () => {
    const client = await connection.open()
    await ensureExchange(client, consumer.topic, options)
    const queue = await ensureQueue(client, consumer, options.queue)
    const channel = await client.channel()
    channel.onerror = () => undefined
    await channel.basicQos(options.prefetch)
    // Anew for each channel: a handler left over from the last one must not hold a slot here.
    const slots = createSlots(options.concurrency)
    return QueueSession.open(channel, { ...options, queue, slots })
  })
}
