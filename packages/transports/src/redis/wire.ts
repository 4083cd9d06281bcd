import type { Delivery, Message } from '@posthorn/engine'
import {
  fromCloudEvent,
  idOfCoordinates,
  redisBinding,
  toCloudEvent,
  type Headers,
} from '../cloudevents.ts'
import { TransportError } from '../errors.ts'
import { checkName } from '../names.ts'
import type { Entry } from './streams.ts'

/** A message as XADD takes it, but for its stream. */
export interface Publication {
  readonly topic: string
  readonly key: string | undefined
  /** Names and values in turn. */
  readonly fields: readonly string[]
}

/** The field with the payload: always the first, since a header may have the same name. */
const BODY = 'data'

/** Writes a message; throws a `TransportError` for one that can never be sent. */
export function toPublication(
  { message, destination }: Delivery,
  { source, maxMessageBytes }: { source: string; maxMessageBytes: number },
): Publication {
  const { headers, body } = toCloudEvent(message, redisBinding, source)
  const fields = [BODY, body, ...Object.entries(headers).flat()]
  const bytes = fields.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  if (bytes > maxMessageBytes) {
    throw new TransportError(
      'MESSAGE_TOO_LARGE',
      `message ${message.id} has ${bytes} bytes, ${maxMessageBytes} are allowed`,
    )
  }
  return { topic: checkName(destination.topic), key: message.key, fields }
}

/** What was read of an entry; a body of no bytes where it has none. */
export function partsOf([, fields]: Entry): { headers: Headers; body: Uint8Array } {
  const headers: Record<string, string> = {}
  let body: Uint8Array | undefined
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [name, value] = [String(fields[at]), fields[at + 1] as Buffer]
    if (name === BODY && body === undefined) body = value
    else headers[name] = String(value)
  }
  return { headers, body: body ?? new Uint8Array() }
}

/** Reads a message. One of others gets its id from its place in the stream. */
export function fromEntry(
  entry: Entry,
  { topic, place }: { topic: string; place: string },
): Message {
  const atMs = Number.parseInt(String(entry[0]), 10)
  return fromCloudEvent(partsOf(entry), redisBinding, {
    id: () => idOfCoordinates(atMs, place),
    type: topic,
    occurredAt: new Date(atMs),
  })
}
