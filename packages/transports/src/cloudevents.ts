import { createHash } from 'node:crypto'
import { toMessage, type Message } from '@posthorn/engine'
import { TransportError } from './errors.ts'

/**
 * CloudEvents 1.0 in binary mode: the payload is the body, as JSON; the envelope is in headers.
 * Our own fields are the extensions `posthornversion`, `partitionkey` (the message's key),
 * `tenant` and `traceparent`. Other headers stand beside them as they are; `posthornheaders` is read
 * only: all of them as one JSON object, from those who cannot write each by itself.
 */
export interface Binding {
  /** Before every attribute; the first is written, all are read. */
  readonly prefixes: readonly [string, ...string[]]
  /** The headers that are written, made once: millions of messages have the same. */
  readonly names: Readonly<Record<Attribute, string>>
  readonly encode: (value: string) => string
  readonly decode: (value: string) => string
}

const ATTRIBUTES = [
  'specversion',
  'id',
  'source',
  'type',
  'time',
  'posthornversion',
  'partitionkey',
  'tenant',
  'traceparent',
  'posthornheaders',
] as const

type Attribute = (typeof ATTRIBUTES)[number]

function bindingOf({ prefixes, encode, decode }: Omit<Binding, 'names'>): Binding {
  const names = Object.fromEntries(ATTRIBUTES.map((name) => [name, prefixes[0] + name]))
  return { prefixes, names: names as Binding['names'], encode, decode }
}

const asIs = (value: string): string => value

export const kafkaBinding = bindingOf({ prefixes: ['ce_'], encode: asIs, decode: asIs })

/** As `kafkaBinding`; the transport writes and reads header lines itself. */
export const natsBinding = bindingOf({ prefixes: ['ce-'], encode: asIs, decode: asIs })

/** No specification says how: the attributes are fields of an entry, beside its headers. */
export const redisBinding = bindingOf({ prefixes: ['ce-'], encode: asIs, decode: asIs })

/** The specification prefers `_` to `:` (JMS selectors) and wants both to be read. */
export const amqpBinding = bindingOf({
  prefixes: ['cloudEvents_', 'cloudEvents:'],
  encode: asIs,
  decode: asIs,
})

/** Header values are percent-encoded outside printable ASCII, as the HTTP binding asks. */
export const httpBinding = bindingOf({
  prefixes: ['ce-'],
  encode: (value) => value.replaceAll(/[^\x21\x23\x24\x26-\x7e]+/gu, percentEncoded),
  decode: (value) => {
    try {
      return decodeURIComponent(value)
    } catch {
      return value
    }
  },
})

export type Headers = Readonly<Record<string, string>>

export interface Encoded {
  readonly headers: Headers
  readonly body: string
}

/** Writes a message; throws `MESSAGE_UNENCODABLE` if that cannot be done (a BigInt, a cycle …). */
export function toCloudEvent(message: Message, binding: Binding, source: string): Encoded {
  const headers: Record<string, string> = {}
  const body = writeCloudEvent(message, { binding, source }, (name, value) => {
    headers[name] = value
  })
  return { headers, body }
}

/** The same, header by header, the last one of a name being right; returns the body. */
export function writeCloudEvent(
  message: Message,
  { binding: { names, encode }, source }: { readonly binding: Binding; readonly source: string },
  add: (name: string, value: string) => void,
): string {
  const { headers, key, tenant, traceparent } = message
  try {
    for (const name of Object.keys(headers)) add(name, headers[name] ?? '')
    add(names.specversion, encode('1.0'))
    add(names.id, encode(message.id))
    add(names.source, encode(source))
    add(names.type, encode(message.type))
    add(names.time, encode(message.occurredAt.toISOString()))
    add(names.posthornversion, encode(String(message.version)))
    if (key !== undefined) add(names.partitionkey, encode(key))
    if (tenant !== undefined) add(names.tenant, encode(tenant))
    if (traceparent !== undefined) add(names.traceparent, encode(traceparent))
    add('content-type', 'application/json')
    return toJson(message.payload)
  } catch (cause) {
    throw new TransportError('MESSAGE_UNENCODABLE', `message ${message.id}: ${reason(cause)}`, {
      cause,
    })
  }
}

/** JSON text of a payload; `undefined` is `null`, as on every wire. */
export function toJson(payload: unknown): string {
  return JSON.stringify(payload) ?? 'null'
}

/** What is known about a message from where it was read, for what its headers do not say. */
export interface Fallback {
  readonly id: () => string
  readonly type: string
  readonly key?: string | undefined
  readonly occurredAt?: Date | undefined
}

/**
 * Reads a message, also one by another producer: what is not in CloudEvents headers comes from
 * `fallback`. Throws `MESSAGE_UNREADABLE` if the body is not JSON.
 */
export function fromCloudEvent(
  wire: { headers: Headers; body: Uint8Array },
  binding: Binding,
  fallback: Fallback,
): Message {
  const attributes: Record<string, string> = {}
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(wire.headers)) {
    const attribute = attributeOf(name, binding)
    if (attribute !== undefined) attributes[attribute] = binding.decode(value)
    else if (name !== 'content-type') headers[name] = value
  }
  const occurredAt = timeOf(attributes['time']) ?? fallback.occurredAt
  return toMessage({
    id: attributes['id'] ?? fallback.id(),
    type: attributes['type'] ?? fallback.type,
    version: versionOf(attributes['posthornversion']),
    key: attributes['partitionkey'] ?? fallback.key,
    tenant: attributes['tenant'],
    traceparent: attributes['traceparent'],
    headers: { ...together(attributes['posthornheaders']), ...headers },
    payload: parseJson(wire.body),
    ...(occurredAt ? { occurredAt } : {}),
  })
}

/**
 * An id for a message that brought none: the same for the same coordinates, so that the inbox
 * recognises a repeat; a UUIDv7, so that it knows its age.
 */
export function idOfCoordinates(atMs: number, coordinates: string): string {
  const hash = createHash('sha256').update(coordinates).digest('hex')
  const time = Math.max(0, Math.trunc(atMs)).toString(16).padStart(12, '0').slice(-12)
  const variant = ((Number.parseInt(hash.slice(3, 5), 16) & 0x3f) | 0x80).toString(16)
  return `${time.slice(0, 8)}-${time.slice(8)}-7${hash.slice(0, 3)}-${variant}${hash.slice(5, 7)}-${hash.slice(7, 19)}`
}

const KNOWN: ReadonlySet<string> = new Set(ATTRIBUTES)

/** Attributes we do not know stay among the headers, under their full name. */
function attributeOf(header: string, binding: Binding): string | undefined {
  for (const prefix of binding.prefixes) {
    const name = header.slice(prefix.length)
    if (header.startsWith(prefix) && KNOWN.has(name)) return name
  }
  return undefined
}

/** Fatal: bytes that are not UTF-8 must not be let through as question marks. */
const decoder = new TextDecoder('utf-8', { fatal: true })

function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(body))
  } catch (cause) {
    throw new TransportError('MESSAGE_UNREADABLE', `the body is not JSON: ${reason(cause)}`, {
      cause,
    })
  }
}

/** Headers that came as one; nothing of what is not an object. */
function together(json: string | undefined): Record<string, string> {
  if (json === undefined) return {}
  try {
    return Object.fromEntries(
      Object.entries(JSON.parse(json) as object).map(([name, value]) => [name, String(value)]),
    )
  } catch {
    return {}
  }
}

function versionOf(text: string | undefined): number {
  const version = Number(text ?? 1)
  return Number.isInteger(version) && version > 0 ? version : 1
}

function timeOf(text: string | undefined): Date | undefined {
  const time = new Date(text ?? Number.NaN)
  return Number.isNaN(time.getTime()) ? undefined : time
}

function percentEncoded(text: string): string {
  return Buffer.from(text).reduce(
    (out, byte) => `${out}%${byte.toString(16).toUpperCase().padStart(2, '0')}`,
    '',
  )
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
