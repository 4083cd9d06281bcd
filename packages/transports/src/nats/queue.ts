import { jetstream, type ConsumerMessages, type JsMsg } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'
import type { Consumer } from '@posthorn/engine'
import type { Incoming, Queue } from '../queue/queue-session.ts'
import {
  consumerName,
  ensureConsumer,
  manage,
  subjectOf,
  type GroupOptions,
  type Stream,
} from './streams.ts'
import { fromDelivery, headersOf, unreadableId } from './wire.ts'

export interface StreamReading extends GroupOptions {
  readonly consumer: Pick<Consumer, 'topic' | 'group'>
  readonly stream: Stream
  readonly timeoutMs: number
}

/** How often, within its time, the server hears that a message is still being handled. */
const SIGNS_OF_WORK = 3
/** Asked for at once: with few, the messages of a partition are shared between the members. */
const MESSAGES_AT_ONCE = 10
/** The shortest time for which JetStream takes a request for messages. */
const MIN_EXPIRES_MS = 1_000

/** All partitions of a stream as one queue, read over one connection. */
export function readStream(client: NatsConnection, reading: StreamReading): Queue {
  const { consumer, stream, sessionMs, timeoutMs } = reading
  const { topic, group } = consumer
  const readers: ConsumerMessages[] = []
  /** Received, and not acknowledged: the server must not take their consumer for dead. */
  const inHand = new Set<JsMsg>()
  const signs = setInterval(() => {
    for (const message of inHand) message.working()
  }, sessionMs / SIGNS_OF_WORK)

  const openPartition = async (partition: number, take: (incoming: Incoming) => void) => {
    const name = consumerName(group, partition)
    const manager = await manage(client, timeoutMs)
    const subject = subjectOf(topic, partition)
    await ensureConsumer(manager, { stream: stream.name, subject, name }, reading)
    const source = await jetstream(client, { timeout: timeoutMs }).consumers.get(stream.name, name)
    const messages = await source.consume({
      max_messages: MESSAGES_AT_ONCE,
      expires: Math.max(MIN_EXPIRES_MS, sessionMs),
      callback(raw) {
        inHand.add(raw)
        take(toIncoming(raw, partition))
      },
    })
    readers.push(messages)
  }

  const toIncoming = (raw: JsMsg, partition: number): Incoming => ({
    ref: { partition, seq: raw.seq },
    redelivered: raw.redelivered,
    read: () => fromDelivery(raw),
    raw: () => ({ id: unreadableId(raw), headers: headersOf(raw), body: raw.data }),
    ack() {
      inHand.delete(raw)
      raw.ack()
    },
  })

  return {
    name: `${topic}.${group}`,
    async open(take) {
      try {
        for (let at = 0; at < stream.partitions; at += 1) await openPartition(at, take)
      } catch (error) {
        clearInterval(signs)
        throw error
      }
      const ended = client.closed().then(() => clearInterval(signs))
      return { ended }
    },
    async close() {
      clearInterval(signs)
      for (const messages of readers) messages.stop()
      // Others may have them at once.
      for (const message of inHand) message.nak()
      inHand.clear()
      await client.flush()
    },
  }
}
