import type { Consumer, Handlers, Outbox } from '@posthorn/engine'

/** What a document is made from. */
interface AsyncApiParts {
  readonly title: string
  readonly version: string
  readonly outboxes: readonly Outbox[]
  readonly handlers?: readonly Handlers[]
  readonly consumers?: readonly (Pick<Consumer, 'topic' | 'group'> & {
    readonly transport: string
  })[]
}

type Json = Record<string, unknown>

interface Channel extends Json {
  readonly address: string | null
  readonly title: string
  readonly messages: Json
}

interface Place {
  readonly transport: string
  readonly topic: string
}

/**
 * An AsyncAPI 3 document: a channel for each destination, with what outboxes send to it and consumers receive
 * from it. Reads definitions only. Types are known from schemas, handlers and upcasters; a message whose
 * definition names no types is described as one of any payload.
 */
export function asyncApi(parts: AsyncApiParts): Json {
  const { title, version, outboxes, handlers = [], consumers = [] } = parts
  const channels: Record<string, Channel> = {}
  const operations: Json = {}
  const messages: Json = {}
  const schemas: Json = {}

  const channelKey = uniqueKeys()
  const operationKey = uniqueKeys()
  const messageKey = uniqueKeys()

  const channelAt = ({ transport, topic }: Place): string => {
    const id = channelKey(transport, topic)
    const name = { title: `${transport}: ${topic}`, 'x-posthorn-transport': transport }
    channels[id] ??= { address: topic, ...name, messages: {} }
    return id
  }
  const operate = (action: 'send' | 'receive', who: string, channel: string) => {
    const ids = Object.keys(channels[channel]?.messages ?? {})
    operations[operationKey(action, who, channel)] = {
      action,
      title: who,
      channel: { $ref: `#/channels/${channel}` },
      // A channel without messages is of another producer: all of it is meant.
      ...(ids.length > 0 && {
        messages: ids.map((id) => ({ $ref: `#/channels/${channel}/messages/${id}` })),
      }),
    }
  }

  const sets = new Map(handlers.map((set) => [set.outbox.name, set]))
  const sent = outboxes.map((outbox) => {
    const { name, destination } = outbox
    const channel = typeof destination === 'object' ? channelAt(destination) : channelKey(name)
    channels[channel] ??= {
      address: null,
      title: name,
      description: 'Each row says where its message goes.',
      messages: {},
    }
    for (const type of typesOf(outbox, sets.get(name))) {
      const id = messageKey(name, type ?? 'message')
      const payload = type === undefined ? undefined : payloadOf(outbox.schemas[type], id)
      if (payload) schemas[id] = payload
      messages[id] = {
        name: type ?? name,
        title: type ?? `Any message of ${name}`,
        contentType: 'application/json',
        ...(payload && { payload: { $ref: `#/components/schemas/${id}` } }),
      }
      channels[channel].messages[id] = { $ref: `#/components/messages/${id}` }
    }
    return { name, channel }
  })
  const consumed = consumers.map((each) => ({ group: each.group, channel: channelAt(each) }))
  // After all messages of all channels are known.
  for (const { name, channel } of sent) {
    operate('send', name, channel)
    if (sets.has(name)) operate('receive', 'handlers', channel)
  }
  for (const { group, channel } of consumed) operate('receive', group, channel)
  return {
    asyncapi: '3.0.0',
    info: { title, version },
    defaultContentType: 'application/json',
    channels,
    operations,
    components: { messages, schemas },
  }
}

/** Types that a definition names; undefined for an outbox that names none. */
function typesOf(outbox: Outbox, set: Handlers | undefined): (string | undefined)[] {
  const { schemas, upcasters } = outbox
  const named = [...Object.keys(schemas), ...Object.keys(upcasters), ...(set?.byType.keys() ?? [])]
  return named.length === 0 ? [undefined] : [...new Set(named)]
}

/** The parts of schema libraries that say what a payload looks like. */
interface Described {
  readonly '~standard'?: {
    readonly jsonSchema?: { output(options: { readonly target: string }): object }
  }
  /** Of a validator that TypeBox compiled. */
  Type?(): object
}

/** What is stored and handled, as JSON Schema; undefined where the library cannot say. */
function payloadOf(schema: Described | undefined, id: string): object | undefined {
  try {
    const found =
      schema?.['~standard']?.jsonSchema?.output({ target: 'draft-07' }) ?? schema?.Type?.()
    const copy: unknown = found && JSON.parse(JSON.stringify(found))
    return withRefsInto(copy, `#/components/schemas/${id}`) as object | undefined
  } catch {
    // A transform, for one, has no form that a schema could describe.
    return undefined
  }
}

/** References that begin at the schema's own root, from the document's. */
function withRefsInto(value: unknown, place: string): unknown {
  if (Array.isArray(value)) return value.map((each) => withRefsInto(each, place))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, each]) => name !== '$schema' || typeof each !== 'string')
      .map(([name, each]) =>
        name === '$ref' && typeof each === 'string'
          ? [name, each.replace(/^#/, place)]
          : [name, withRefsInto(each, place)],
      ),
  )
}

/** Keys of a document have few characters: what would get the key of another place gets a number too. */
function uniqueKeys() {
  const owners = new Map<string, string>()
  return (...parts: readonly string[]): string => {
    const owner = JSON.stringify(parts)
    const plain = parts.join('.').replaceAll(/[^\w.-]/g, '-')
    let key = plain
    for (let n = 2; (owners.get(key) ?? owner) !== owner; n += 1) key = `${plain}-${n}`
    owners.set(key, owner)
    return key
  }
}
