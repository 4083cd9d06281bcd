import { createHash } from 'node:crypto'
import type { Message as SqsMessage } from '@aws-sdk/client-sqs'
import type { Delivery, Message } from '@posthorn/engine'
import { idOfCoordinates } from '../cloudevents.ts'
import { TransportError } from '../errors.ts'
import { checkName } from '../names.ts'
import { fromEventText, toEventText } from '../queue/event-text.ts'

/** A message as SQS takes it, but for its queue. */
export interface Publication {
  readonly topic: string
  readonly body: string
  readonly bytes: number
  /** Messages of one group are given out one after the other. */
  readonly groupId: string
  /** One with the same id is dropped for five minutes. */
  readonly dedupeId: string
}

/** SQS drops what it has seen: what is sent again on purpose is another message to it. */
function dedupeIdOf({ message, sentAt }: Delivery): string {
  return idOf(sentAt ? `${message.id}/${sentAt.getTime()}` : message.id)
}

/** A message has ten attributes at most, and CloudEvents alone are nine: so they are in the body. */
export function toPublication(
  delivery: Delivery,
  { source, maxMessageBytes }: { source: string; maxMessageBytes: number },
): Publication {
  const { message, destination } = delivery
  const topic = checkName(destination.topic)
  const body = xmlSafe(toEventText(message, source))
  const bytes = Buffer.byteLength(body)
  if (bytes > maxMessageBytes) {
    throw new TransportError(
      'MESSAGE_TOO_LARGE',
      `message ${message.id} has ${bytes} bytes, SQS takes ${maxMessageBytes}`,
    )
  }
  const { id, key } = message
  return { topic, body, bytes, groupId: idOf(key ?? id), dedupeId: dedupeIdOf(delivery) }
}

/** Two characters that JSON has and SQS does not; others come escaped. */
function xmlSafe(json: string): string {
  return json.replaceAll('\uFFFE', '\\uFFFE').replaceAll('\uFFFF', '\\uFFFF')
}

/** Ids are up to 128 printable characters of ASCII; what is not is known by its hash. */
function idOf(text: string): string {
  return /^[\x21-\x7e]{1,128}$/.test(text) ? text : createHash('sha256').update(text).digest('hex')
}

/** Reads a message. One of others, without an envelope, is its whole body. */
export function fromDelivery(raw: SqsMessage, topic: string): Message {
  const sentAt = Number(raw.Attributes?.SentTimestamp ?? 0)
  return fromEventText(raw.Body ?? '', {
    id: () => idOfCoordinates(sentAt, `${topic}/${raw.MessageId}`),
    type: topic,
    key: raw.Attributes?.MessageGroupId,
    occurredAt: new Date(sentAt),
  })
}
