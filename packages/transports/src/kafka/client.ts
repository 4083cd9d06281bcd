import type { ConnectionOptions } from '@platformatic/kafka'

/** How to reach the brokers. */
export interface ClientSettings {
  readonly clientId: string
  readonly brokers: readonly string[]
  readonly timeoutMs: number
  readonly tls: ConnectionOptions['tls']
  readonly sasl: ConnectionOptions['sasl']
}

/** The settings as every client of the library takes them. */
export function clientOptions({ clientId, brokers, timeoutMs, tls, sasl }: ClientSettings) {
  return {
    clientId,
    bootstrapBrokers: [...brokers],
    connectTimeout: timeoutMs,
    requestTimeout: timeoutMs,
    timeout: timeoutMs,
    ...(tls ? { tls } : {}),
    ...(sasl ? { sasl } : {}),
  }
}
