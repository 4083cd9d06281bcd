import { AMQPClient, type AMQPTlsOptions } from '@cloudamqp/amqp-client'
import type { Log } from '@posthorn/engine'
import { UnreachableError } from '../errors.ts'
import { createLazyClient, type LazyClient } from '../queue/lazy-client.ts'
import { within } from '../timing.ts'

/** A connection that is made when it is needed, and made again when it has broken. */
export type Connection = LazyClient<AMQPClient>

export interface ConnectionOptions {
  /** Of a cluster, several hosts with commas between: the next one is tried where one fails. */
  readonly url: string
  /** Shown in RabbitMQ's management pages. */
  readonly name: string
  readonly timeoutMs: number
  readonly tls?: AMQPTlsOptions | undefined
  readonly log: Log
}

const HEARTBEAT_SECONDS = 20

/** Every message in flight owns a buffer of this size, and a message's headers must fit into one. */
export const FRAME_BYTES = 32 * 1024

export function createConnection(options: ConnectionOptions): Connection {
  const { timeoutMs, log } = options
  const urls = splitHosts(options.url)
  /** The host that was connected to last, or is to be tried next. */
  let at = 0

  const connectTo = async (url: string): Promise<AMQPClient> => {
    const client = new QuietClient(urlOf(url, options), options.tls)
    client.onerror = ({ message }) => log.debug({ reason: message }, 'rabbitmq connection failed')
    try {
      const connected = client.connect()
      if (!(await within(connected, timeoutMs, () => undefined))) {
        connected.catch(() => undefined)
        throw new UnreachableError(`no connection to RabbitMQ within ${timeoutMs} ms`)
      }
      return client
    } catch (error) {
      client.socket?.destroy()
      throw error
    }
  }

  /** Where a host does not answer at all, the call ends here and the next one goes on with the next host. */
  const connect = async (): Promise<AMQPClient> => {
    const began = performance.now()
    let cause: unknown
    for (let tries = 0; tries < urls.length && performance.now() - began < timeoutMs; tries += 1) {
      try {
        return await connectTo(urls[at] ?? '')
      } catch (error) {
        cause = error
        at = (at + 1) % urls.length
      }
    }
    throw cause
  }

  return createLazyClient({
    server: 'RabbitMQ',
    connect,
    isOpen: (client) => !client.closed,
    drop: (client) => void client.socket?.destroy(),
    close: (client) => goodbye(client, timeoutMs),
  })
}

/** Closes politely, unless the other side is gone: then no answer would come. */
async function goodbye(client: AMQPClient, timeoutMs: number): Promise<void> {
  const { socket } = client
  if (!socket) return
  if (!client.closed) {
    const gone = new Promise<void>((resolve) => socket.once('close', () => resolve()))
    const closed = client.close().catch(() => undefined)
    await within(Promise.race([closed, gone]), timeoutMs, () => undefined)
  }
  socket.destroy()
}

/**
 * The library's client rejects a publish twice when the connection breaks under it: once for the
 * write and once for the confirm, and no handler can catch the second. Here a write does not report: the
 * end of the connection rejects all confirms anyway.
 */
class QuietClient extends AMQPClient {
  override send(bytes: Uint8Array): Promise<void> {
    if (!this.socket) return Promise.reject(new UnreachableError('The connection is closed.'))
    this.socket.write(bytes)
    return Promise.resolve()
  }
}

/** The addresses that `amqp://user:password@a:5672,b:5672/vhost` names, one for each host. */
export function splitHosts(url: string): string[] {
  const [, before = '', hosts = '', after = ''] =
    /^(\w+:\/\/(?:[^@/]*@)?)([^/?]*)(.*)$/.exec(url) ?? []
  return hosts.includes(',')
    ? hosts.split(',').map((host) => `${before}${host.trim()}${after}`)
    : [url]
}

function urlOf(url: string, { name }: ConnectionOptions): string {
  const parsed = new URL(url)
  const defaults = { name, heartbeat: HEARTBEAT_SECONDS, frameMax: FRAME_BYTES }
  for (const [key, value] of Object.entries(defaults)) {
    if (!parsed.searchParams.has(key)) parsed.searchParams.set(key, String(value))
  }
  return parsed.href
}

/** The broker's reply code (404, 406 …). The library has it nowhere but at the end of the text. */
export function replyCode(error: unknown): number | undefined {
  const found = error instanceof Error ? /\((\d{3})\)$/.exec(error.message) : null
  return found ? Number(found[1]) : undefined
}
