import type { Message } from '@posthorn/engine'
import {
  fromCloudEvent,
  idOfCoordinates,
  natsBinding,
  toCloudEvent,
  type Fallback,
} from '../cloudevents.ts'
import type { Polled } from './polled-queue.ts'

/** Any that writes values as they are: in JSON the attributes stand without its prefix. */
const BINDING = natsBinding
const [PREFIX] = BINDING.prefixes

/**
 * A message as one JSON text, for brokers without headers of their own: CloudEvents in structured
 * mode, with the headers as one attribute. Throws `MESSAGE_UNENCODABLE`.
 */
export function toEventText(message: Message, source = 'posthorn'): string {
  const bare = { ...message, headers: {} }
  const { headers, body: data } = toCloudEvent(bare, BINDING, source)
  const attributes: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (name.startsWith(PREFIX)) attributes[name.slice(PREFIX.length)] = value
  }
  if (Object.keys(message.headers).length > 0) {
    attributes['posthornheaders'] = JSON.stringify(message.headers)
  }
  const envelope = JSON.stringify({ ...attributes, datacontenttype: 'application/json' })
  return `${envelope.slice(0, -1)},"data":${data}}`
}

const encoder = new TextEncoder()

/**
 * Reads a message. One of others, without an envelope, is its whole text; `fallback.key` is for those
 * alone, since an envelope says whether there is a key. Throws `MESSAGE_UNREADABLE`.
 */
export function fromEventText(text: string, fallback: Fallback): Message {
  const { attributes, data } = partsOf(text)
  const headers = Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [`${PREFIX}${name}`, String(value)]),
  )
  const key = 'id' in attributes ? undefined : fallback.key
  return fromCloudEvent({ headers, body: encoder.encode(data) }, BINDING, { ...fallback, key })
}

/** A text as a poll finds it, where the broker knows it by nothing else than itself. */
export function polledText(text: string, type: string): Polled {
  const id = (): string => idOfCoordinates(0, text)
  return {
    id: text,
    read: () => fromEventText(text, { id, type }),
    raw: () => ({ id: id(), headers: {}, body: encoder.encode(text) }),
  }
}

function partsOf(text: string): { attributes: object; data: string } {
  try {
    const parsed: unknown = JSON.parse(text)
    if (typeof Object(parsed).specversion === 'string') {
      const { data, datacontenttype: _, ...attributes } = parsed as Record<string, unknown>
      return { attributes, data: JSON.stringify(data ?? null) }
    }
  } catch {
    // Not JSON: the one who reads it says so.
  }
  return { attributes: {}, data: text }
}
