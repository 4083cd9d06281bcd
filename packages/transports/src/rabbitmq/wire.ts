import { createHash } from 'node:crypto'
import type { AMQPMessage, AMQPProperties } from '@cloudamqp/amqp-client'
import { uuid, type Delivery, type Message } from '@posthorn/engine'
import { amqpBinding, fromCloudEvent, toCloudEvent, type Headers } from '../cloudevents.ts'
import { TransportError } from '../errors.ts'
import { checkName } from '../names.ts'
import { FRAME_BYTES } from './connection.ts'

/** A message as `basic.publish` takes it. */
export interface Publication {
  readonly exchange: string
  readonly routingKey: string
  readonly body: Buffer
  readonly properties: AMQPProperties
}

/** AMQP's short strings: names of queues, exchanges, headers; routing keys. */
const SHORT_BYTES = 255
/** Left for the other fields of a header frame. */
const HEADER_RESERVE = 2_048

export interface PublicationOptions {
  readonly source: string
  readonly maxMessageBytes: number
}

/** Writes a message; throws a `TransportError` for one that can never be published. */
export function toPublication(
  { message, destination }: Delivery,
  { source, maxMessageBytes }: PublicationOptions,
): Publication {
  const event = toCloudEvent(message, amqpBinding, source)
  const { 'content-type': contentType, ...headers } = event.headers
  const asked = destination.options?.['routingKey']
  const routingKey = typeof asked === 'string' ? asked : message.type
  const body = Buffer.from(event.body)
  if (body.byteLength > maxMessageBytes) {
    throw new TransportError(
      'MESSAGE_TOO_LARGE',
      `message ${message.id} has ${body.byteLength} bytes, the broker takes ${maxMessageBytes}`,
    )
  }
  const names = [routingKey, message.id, ...Object.keys(headers)]
  const long = names.find((name) => Buffer.byteLength(name) > SHORT_BYTES)
  if (long !== undefined) {
    throw new TransportError(
      'MESSAGE_UNENCODABLE',
      `message ${message.id}: "${long.slice(0, 50)}…" is longer than ${SHORT_BYTES} bytes`,
    )
  }
  if (Buffer.byteLength(JSON.stringify(headers)) > FRAME_BYTES - HEADER_RESERVE) {
    throw new TransportError('MESSAGE_TOO_LARGE', `message ${message.id}: its headers are too long`)
  }
  return {
    exchange: checkName(destination.topic),
    routingKey,
    body,
    properties: {
      contentType: contentType ?? 'application/json',
      deliveryMode: 2, // persistent
      messageId: message.id,
      timestamp: message.occurredAt,
      headers,
    },
  }
}

/**
 * Reads a message. One that has neither CloudEvents headers nor a message id gets a new id each time
 * it arrives: RabbitMQ has no coordinates by which a repeat could be recognised.
 */
export function fromDelivery(raw: AMQPMessage): Message {
  const { messageId, type, timestamp } = raw.properties
  return fromCloudEvent({ headers: headersOf(raw), body: bodyOf(raw) }, amqpBinding, {
    id: () => messageId ?? uuid(),
    type: type ?? raw.routingKey,
    occurredAt: timestamp,
  })
}

/** Stands for the id of what could not be decoded: the same when the same comes again. */
export function unreadableId(raw: AMQPMessage): string {
  return raw.properties.messageId ?? createHash('sha256').update(bodyOf(raw)).digest('hex')
}

export function bodyOf(raw: AMQPMessage): Uint8Array {
  return raw.body ?? new Uint8Array(0)
}

/** Other people's headers may be numbers, tables, anything; ours are strings. */
export function headersOf(raw: AMQPMessage): Headers {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(raw.properties.headers ?? {})) {
    if (value === undefined || value === null) continue
    headers[name] = typeof value === 'object' ? JSON.stringify(value) : String(value)
  }
  return headers
}

/** `<topic>.<group>`: every group has a queue of its own on every topic. */
export function queueName(topic: string, group: string): string {
  const name = `${checkName(topic)}.${checkName(group)}`
  if (Buffer.byteLength(name) <= SHORT_BYTES) return name
  throw new TransportError('TOPIC_INVALID', `queue "${name}" is longer than ${SHORT_BYTES} bytes`)
}
