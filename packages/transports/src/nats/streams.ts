import {
  AckPolicy,
  DeliverPolicy,
  JetStreamApiError,
  StorageType,
  jetstreamManager,
  type ConsumerInfo,
  type JetStreamManager,
} from '@nats-io/jetstream'
import {
  nanos,
  type NatsConnection,
  connect,
  type NodeConnectionOptions,
} from '@nats-io/transport-node'
import { TransportError } from '../errors.ts'
import { checkName } from '../names.ts'
import { createLazyClient, type LazyClient } from '../queue/lazy-client.ts'
import { within } from '../timing.ts'

export interface StreamOptions {
  /** Of a stream that does not exist yet. */
  readonly partitions: number
  /** How long a stream keeps messages; 0 for ever. */
  readonly maxAgeMs: number
  readonly replicas: number
}

/** A topic as it stands on the server. */
export interface Stream {
  readonly name: string
  readonly partitions: number
}

/** Codes of JetStream's answers. */
const STREAM_MISSING = 10_059
const CONSUMER_MISSING = 10_014
const CONSUMER_EXISTS = new Set([10_013, 10_105, 10_148])
const STREAM_EXISTS = 10_058

/** Names on the server have no dots; ours have no tilde. */
export function streamName(topic: string): string {
  const name = checkName(topic)
  if (name.split('.').includes('')) {
    throw new TransportError('TOPIC_INVALID', `"${name}" has an empty part between its dots`)
  }
  return name.replaceAll('.', '~')
}

/** `<topic>.<partition>`: all subjects of a stream are listed, so that their number is known. */
export function subjectOf(topic: string, partition: number): string {
  return `${topic}.${partition}`
}

export function consumerName(group: string, partition: number): string {
  return `${checkName(group).replaceAll('.', '~')}-${partition}`
}

export function manage(client: NatsConnection, timeoutMs: number): Promise<JetStreamManager> {
  return jetstreamManager(client, { timeout: timeoutMs, checkAPI: false })
}

/** The stream of a topic, made if it is not there; undefined where it is not and may not be. */
export async function findStream(
  manager: JetStreamManager,
  topic: string,
  making?: StreamOptions,
): Promise<Stream | undefined> {
  const name = streamName(topic)
  try {
    const { config } = await manager.streams.info(name)
    return { name, partitions: config.subjects.length }
  } catch (error) {
    if (codeOf(error) !== STREAM_MISSING) throw error
  }
  if (!making) return undefined
  const { partitions, maxAgeMs, replicas } = making
  try {
    await manager.streams.add({
      name,
      subjects: Array.from({ length: partitions }, (_, at) => subjectOf(topic, at)),
      storage: StorageType.File,
      max_age: nanos(maxAgeMs),
      num_replicas: replicas,
    })
    return { name, partitions }
  } catch (error) {
    // Another process made it meanwhile, maybe with another number of partitions.
    if (codeOf(error) === STREAM_EXISTS) return findStream(manager, topic)
    throw error
  }
}

export interface GroupOptions {
  readonly from: 'earliest' | 'latest'
  /** After this time without a sign of its consumer a message is given to another. */
  readonly sessionMs: number
}

/**
 * Makes a group's consumer of a partition, if it is not there. Only one message of a partition is with
 * a consumer at a time, so that the order stands with any number of them.
 */
export async function ensureConsumer(
  manager: JetStreamManager,
  { stream, subject, name }: { stream: string; subject: string; name: string },
  { from, sessionMs }: GroupOptions,
): Promise<void> {
  if (await findConsumer(manager, stream, name)) return
  try {
    await manager.consumers.add(stream, {
      durable_name: name,
      filter_subject: subject,
      ack_policy: AckPolicy.Explicit,
      ack_wait: nanos(sessionMs),
      max_ack_pending: 1,
      max_deliver: -1,
      deliver_policy: from === 'latest' ? DeliverPolicy.New : DeliverPolicy.All,
    })
  } catch (error) {
    if (!CONSUMER_EXISTS.has(codeOf(error) ?? 0)) throw error
  }
}

export async function findConsumer(
  manager: JetStreamManager,
  stream: string,
  name: string,
): Promise<ConsumerInfo | undefined> {
  try {
    return await manager.consumers.info(stream, name)
  } catch (error) {
    const code = codeOf(error)
    if (code === CONSUMER_MISSING || code === STREAM_MISSING) return undefined
    throw error
  }
}

function codeOf(error: unknown): number | undefined {
  return error instanceof JetStreamApiError ? error.code : undefined
}

export type Connection = LazyClient<NatsConnection>

interface ConnectionOptions {
  /** `nats://user:password@a:4222,b:4222`, or `tls:`. */
  readonly url: string
  readonly timeoutMs: number
  readonly tls: NodeConnectionOptions['tls']
}

/** Pings without an answer until a connection counts as dead. */
const PINGS = 2

/**
 * The library's own reconnecting is off: it would keep what is published during an outage and send it
 * at its end, when the relay has long given it to another attempt.
 */
export function createConnection({ url, timeoutMs, tls }: ConnectionOptions): Connection {
  const { servers, login } = readUrl(url)
  return createLazyClient<NatsConnection>({
    server: 'NATS',
    connect: () =>
      connect({
        ...login,
        servers,
        name: 'posthorn',
        timeout: timeoutMs,
        reconnect: false,
        pingInterval: Math.ceil(timeoutMs / PINGS),
        maxPingOut: PINGS,
        ...(tls && { tls }),
      }),
    isOpen: (client) => !client.isClosed(),
    drop: (client) => void client.close().catch(() => undefined),
    close: async (client) => {
      const closed = client.close().catch(() => undefined)
      await within(closed, timeoutMs, () => undefined)
    },
  })
}

/** The library takes hosts and login apart from each other. */
function readUrl(url: string) {
  const [, scheme = '', user = '', hosts = ''] =
    /^(\w+:\/\/)?(?:([^@/]*)@)?([^/?]*)/.exec(url) ?? []
  const [name = '', password] = user.split(':').map(decodeURIComponent)
  return {
    servers: hosts.split(',').map((host) => `${scheme === 'tls://' ? scheme : ''}${host.trim()}`),
    login:
      user === '' ? {} : password === undefined ? { token: name } : { user: name, pass: password },
  }
}
