import { createKafkaProxy, proxyTo, type TcpProxy } from '@posthorn/engine/testing'

export const SERVER_NAMES = ['postgres', 'kafka', 'rabbitmq', 's3'] as const
export type ServerName = (typeof SERVER_NAMES)[number]

/** What the servers are called in the environment of their clients. */
const VARIABLES: Readonly<Record<ServerName, string>> = {
  postgres: 'DATABASE_URL',
  kafka: 'KAFKA_BROKERS',
  rabbitmq: 'RABBITMQ_URL',
  s3: 'S3_ENDPOINT',
}

/** The network of one process: a line of its own to each server, so that it can be cut off alone. */
export interface Lines {
  readonly to: Readonly<Record<ServerName, TcpProxy>>
  /** The variables that lead its clients over these lines. */
  readonly env: Readonly<Record<string, string>>
  heal(): Promise<void>
  close(): Promise<void>
}

export async function openLines(env: Readonly<Record<string, string>>): Promise<Lines> {
  const addressOf = (name: ServerName) => env[VARIABLES[name]] ?? ''
  const to = {
    postgres: await proxyTo(addressOf('postgres')),
    kafka: await createKafkaProxy(addressOf('kafka')),
    rabbitmq: await proxyTo(addressOf('rabbitmq')),
    s3: await proxyTo(addressOf('s3')),
  }
  const proxies = Object.values(to)
  return {
    to,
    env: {
      [VARIABLES.postgres]: to.postgres.by(addressOf('postgres')),
      [VARIABLES.kafka]: `${to.kafka.host}:${to.kafka.port}`,
      [VARIABLES.rabbitmq]: to.rabbitmq.by(addressOf('rabbitmq')),
      [VARIABLES.s3]: to.s3.by(addressOf('s3')).replace(/\/$/, ''),
    },
    heal: async () => void (await Promise.all(proxies.map((proxy) => proxy.heal()))),
    close: async () => void (await Promise.all(proxies.map((proxy) => proxy.close()))),
  }
}
