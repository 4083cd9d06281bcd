import type { JsMsg } from '@nats-io/jetstream'
import { headers as createHeaders, type MsgHdrs } from '@nats-io/transport-node'
import type { Delivery, Message } from '@posthorn/engine'
import {
  fromCloudEvent,
  idOfCoordinates,
  natsBinding,
  toCloudEvent,
  type Headers,
} from '../cloudevents.ts'
import { TransportError } from '../errors.ts'
import { streamName } from './streams.ts'

/** A message as JetStream takes it, but for its partition. */
export interface Publication {
  readonly topic: string
  readonly key: string | undefined
  readonly headers: MsgHdrs
  readonly body: Uint8Array
}

const encoder = new TextEncoder()

/** Writes a message; throws a `TransportError` for one that can never be published. */
export function toPublication(
  { message, destination }: Delivery,
  { source, maxMessageBytes }: { source: string; maxMessageBytes: number },
): Publication {
  streamName(destination.topic)
  const event = toCloudEvent(message, natsBinding, source)
  const headers = createHeaders()
  let bytes = 0
  for (const [name, value] of Object.entries(event.headers)) {
    const [written, text] = [encodeName(name), encodeValue(value)]
    headers.append(written, text)
    bytes += written.length + text.length + 4
  }
  const body = encoder.encode(event.body)
  if (body.byteLength + bytes > maxMessageBytes) {
    throw new TransportError(
      'MESSAGE_TOO_LARGE',
      `message ${message.id} has ${body.byteLength + bytes} bytes, the server takes ${maxMessageBytes}`,
    )
  }
  return { topic: destination.topic, key: message.key, headers, body }
}

/** Reads a message. One of others gets its id from its place in the stream. */
export function fromDelivery(raw: JsMsg): Message {
  return fromCloudEvent({ headers: headersOf(raw), body: raw.data }, natsBinding, {
    id: () => idOfCoordinates(raw.time.getTime(), `${raw.info.stream}/${raw.seq}`),
    type: raw.subject,
    occurredAt: raw.time,
  })
}

/** Stands for the id of what could not be decoded: the same when the same comes again. */
export function unreadableId(raw: JsMsg): string {
  return `${raw.info.stream}/${raw.seq}`
}

export function headersOf(raw: JsMsg): Headers {
  const headers: Record<string, string> = {}
  for (const name of raw.headers?.keys() ?? []) {
    headers[decode(name)] = decode(raw.headers?.get(name) ?? '')
  }
  return headers
}

/** Header lines are printable ASCII. What is not, and `%`, is percent-encoded. */
function encodeValue(text: string): string {
  return text.toWellFormed().replaceAll(/[^\x21-\x24\x26-\x7e]+/gu, encodeURIComponent)
}

/** A name ends at the first colon. */
function encodeName(text: string): string {
  return encodeValue(text).replaceAll(':', '%3A')
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
