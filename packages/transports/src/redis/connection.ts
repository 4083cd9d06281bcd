import { createClient, type RedisClientType } from '@redis/client'
import type { ConnectionOptions as TlsOptions } from 'node:tls'
import { createLazyClient, type LazyClient } from '../queue/lazy-client.ts'
import { within } from '../timing.ts'

export type RedisClient = RedisClientType

export type Connection = LazyClient<RedisClient>

export interface ConnectionOptions {
  /** `redis://user:password@host:6379/0`, or `rediss:`. */
  readonly url: string
  /** Shown in the server's list of clients. */
  readonly name: string
  readonly timeoutMs: number
  readonly tls: Pick<TlsOptions, 'ca' | 'cert' | 'key' | 'servername'> | undefined
}

/**
 * The library's own reconnecting is off: it would keep what is sent during an outage and send it at
 * its end, when the relay has long given it to another attempt.
 */
export function createConnection({ url, name, timeoutMs, tls }: ConnectionOptions): Connection {
  const connect = async (): Promise<RedisClient> => {
    const socket = { connectTimeout: timeoutMs, reconnectStrategy: false } as const
    const client = createClient({
      ...{ url, name, disableOfflineQueue: true },
      socket: url.startsWith('rediss:') ? { ...socket, ...tls, tls: true } : socket,
    })
    // Without a listener its errors would end the process; those who wait hear of them anyway.
    client.on('error', () => undefined)
    // The time of `connectTimeout` ends with the socket, before the login.
    await within(client.connect(), timeoutMs, () => {
      drop(client)
      throw new Error(`no answer from Redis within ${timeoutMs} ms`)
    })
    return client
  }
  return createLazyClient<RedisClient>({
    server: 'Redis',
    connect,
    isOpen: (client) => client.isReady,
    drop,
    close: async (client) => {
      if (!client.isOpen) return
      await within(client.close(), timeoutMs, () => drop(client))
    },
  })
}

/** Ends a connection that no longer answers. */
export function drop(client: RedisClient): void {
  if (client.isOpen) client.destroy()
}

/** Resolves when the connection has ended, by whichever side. */
export function untilEnded(client: RedisClient): Promise<void> {
  return new Promise((resolve) => {
    for (const event of ['end', 'error'] as const) client.once(event, () => resolve())
    if (!client.isReady) resolve()
  })
}
