import type { AMQPChannel, AMQPMessage } from '@cloudamqp/amqp-client'
import type { Incoming, Queue } from '../queue-session.ts'
import { bodyOf, fromDelivery, headersOf, unreadableId } from './wire.ts'

/** A queue read on a channel of its own, whose prefetch is set. */
export function readQueue(channel: AMQPChannel, name: string): Queue {
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
