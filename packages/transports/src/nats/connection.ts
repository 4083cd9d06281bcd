import { connect, type NatsConnection, type NodeConnectionOptions } from '@nats-io/transport-node'
import { createLazyClient, type LazyClient } from '../queue/lazy-client.ts'
import { within } from '../timing.ts'

export type Connection = LazyClient<NatsConnection>

export interface ConnectionOptions {
  /** `nats://user:password@a:4222,b:4222`, or `tls:`. */
  readonly url: string
  /** Shown in the server's list of connections. */
  readonly name: string
  readonly timeoutMs: number
  readonly tls: NodeConnectionOptions['tls']
}

/** Pings without an answer until a connection counts as dead. */
const PINGS = 2

/**
 * The library's own reconnecting is off: it would keep what is published during an outage and send it
 * at its end, when the relay has long given it to another attempt.
 */
export function createConnection({ url, name, timeoutMs, tls }: ConnectionOptions): Connection {
  const { servers, login } = readUrl(url)
  return createLazyClient<NatsConnection>({
    server: 'NATS',
    connect: () =>
      connect({
        ...login,
        servers,
        name,
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
