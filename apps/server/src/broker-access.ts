import { readFileSync } from 'node:fs'
import { clientCredentials } from '@posthorn/transports/oauth'
import { Type, type Static } from 'typebox'

/** How a broker is reached: where it is, whose certificate it shows, and who we are to it. */
export interface BrokerAccess {
  /** As the broker's own variable has it. */
  readonly address: string
  /** Only where the connection is encrypted; without a `ca` the certificates of the system count. */
  readonly tls?: TlsFiles
  readonly sasl?: SaslLogin
  /** After this time without a heartbeat a consumer's partitions go to others. */
  readonly session?: `${number}ms`
}

/** PEM texts. */
export interface TlsFiles {
  readonly ca?: string
  readonly cert?: string
  readonly key?: string
}

export type SaslLogin =
  | {
      readonly mechanism: 'PLAIN' | 'SCRAM-SHA-256' | 'SCRAM-SHA-512'
      readonly username: string
      readonly password: string
    }
  | { readonly mechanism: 'OAUTHBEARER'; readonly token: () => Promise<string> }

const file = (description: string) =>
  Type.Optional(Type.String({ description, pattern: '^[^\\u0000]+$' }))

export const KAFKA_ACCESS = Type.Object({
  KAFKA_SESSION_MS: Type.Optional(
    Type.Integer({
      description:
        'milliseconds without a heartbeat after which the partitions of a consumer go to others; 30,000 by default',
      minimum: 6_000,
      maximum: 1_800_000,
    }),
  ),
  KAFKA_TLS: Type.Optional(
    Type.Boolean({
      description: 'true where the brokers want TLS; so does any of the files below',
    }),
  ),
  KAFKA_CA_FILE: file('the certificates that those of the brokers are signed by, as a PEM file'),
  KAFKA_CERT_FILE: file('our own certificate, where the brokers ask for one, as a PEM file'),
  KAFKA_KEY_FILE: file('the key of that certificate, as a PEM file'),
  KAFKA_SASL_MECHANISM: Type.Optional(
    Type.Union(
      [
        Type.Literal('plain'),
        Type.Literal('scram-sha-256'),
        Type.Literal('scram-sha-512'),
        Type.Literal('oauthbearer'),
      ],
      {
        description:
          'how we log in to the brokers: plain, scram-sha-256, scram-sha-512 or oauthbearer',
      },
    ),
  ),
  KAFKA_USERNAME: Type.Optional(
    Type.String({ description: 'the user to log in as; with oauthbearer the id of the client' }),
  ),
  KAFKA_PASSWORD: Type.Optional(
    Type.String({
      description: 'the password of that user; with oauthbearer the secret of the client',
      secret: true,
    }),
  ),
  KAFKA_OAUTH_TOKEN_URL: Type.Optional(
    Type.String({
      description: 'where oauthbearer gets its tokens by client credentials, as http(s)://…',
      pattern: '^https?://\\S+$',
    }),
  ),
  KAFKA_OAUTH_SCOPE: Type.Optional(
    Type.String({ description: 'the scope that those tokens are asked for' }),
  ),
})

export const RABBITMQ_ACCESS = Type.Object({
  RABBITMQ_CA_FILE: file(
    'the certificates that those of an amqps: broker are signed by, as a PEM file',
  ),
  RABBITMQ_CERT_FILE: file('our own certificate, where the broker asks for one, as a PEM file'),
  RABBITMQ_KEY_FILE: file('the key of that certificate, as a PEM file'),
})

export const NATS_ACCESS = Type.Object({
  NATS_CA_FILE: file('the certificates that those of a tls: server are signed by, as a PEM file'),
  NATS_CERT_FILE: file('our own certificate, where the server asks for one, as a PEM file'),
  NATS_KEY_FILE: file('the key of that certificate, as a PEM file'),
})

export const REDIS_ACCESS = Type.Object({
  REDIS_CA_FILE: file(
    'the certificates that those of a rediss: server are signed by, as a PEM file',
  ),
  REDIS_CERT_FILE: file('our own certificate, where the server asks for one, as a PEM file'),
  REDIS_KEY_FILE: file('the key of that certificate, as a PEM file'),
})

type KafkaValues = Static<typeof KAFKA_ACCESS>
export function readKafkaAccess(address: string, values: KafkaValues): BrokerAccess {
  const tls = readTls('KAFKA', values)
  const isEncrypted = values.KAFKA_TLS ?? Object.keys(tls).length > 0
  const sasl = readLogin(values)
  const { KAFKA_SESSION_MS: ms } = values
  return {
    address,
    ...(isEncrypted && { tls }),
    ...(sasl && { sasl }),
    ...(ms !== undefined && { session: `${ms}ms` }),
  }
}

export function readRabbitmqAccess(
  address: string,
  values: Static<typeof RABBITMQ_ACCESS>,
): BrokerAccess {
  return address.startsWith('amqps:') ? { address, tls: readTls('RABBITMQ', values) } : { address }
}

export function readNatsAccess(address: string, values: Static<typeof NATS_ACCESS>): BrokerAccess {
  return address.startsWith('tls:') ? { address, tls: readTls('NATS', values) } : { address }
}

export function readRedisAccess(
  address: string,
  values: Static<typeof REDIS_ACCESS>,
): BrokerAccess {
  return address.startsWith('rediss:') ? { address, tls: readTls('REDIS', values) } : { address }
}

function readTls(broker: string, values: Readonly<Record<string, unknown>>): TlsFiles {
  const files = (['ca', 'cert', 'key'] as const).flatMap((name) => {
    const path = values[`${broker}_${name.toUpperCase()}_FILE`]
    return typeof path === 'string' ? [[name, readFileSync(path, 'utf8')] as const] : []
  })
  return Object.fromEntries(files)
}

function readLogin(values: KafkaValues): SaslLogin | undefined {
  const { KAFKA_SASL_MECHANISM: mechanism, KAFKA_OAUTH_TOKEN_URL: url } = values
  const { KAFKA_USERNAME: username = '', KAFKA_PASSWORD: password = '' } = values
  if (mechanism === undefined) return undefined
  if (mechanism !== 'oauthbearer') {
    return { mechanism: mechanism.toUpperCase() as Uppercase<typeof mechanism>, username, password }
  }
  const scope = values.KAFKA_OAUTH_SCOPE
  const client = { url: url ?? '', clientId: username, clientSecret: password }
  const token = clientCredentials({ ...client, ...(scope !== undefined && { scope }) })
  return { mechanism: 'OAUTHBEARER', token }
}

/** What belongs together and is not: found before anything is opened. */
export function accessMistakes(env: NodeJS.ProcessEnv): string[] {
  const mistakes = [
    ...idle(env, Object.keys(KAFKA_ACCESS.properties), 'KAFKA_BROKERS'),
    ...idle(env, Object.keys(RABBITMQ_ACCESS.properties), 'RABBITMQ_URL'),
    ...idle(env, Object.keys(NATS_ACCESS.properties), 'NATS_URL'),
    ...idle(env, Object.keys(REDIS_ACCESS.properties), 'REDIS_URL'),
    ...['KAFKA', 'RABBITMQ', 'NATS', 'REDIS'].flatMap((broker) => fileMistakes(env, broker)),
    ...unencrypted(env, Object.keys(RABBITMQ_ACCESS.properties), ['RABBITMQ_URL', 'amqps:']),
    ...unencrypted(env, Object.keys(NATS_ACCESS.properties), ['NATS_URL', 'tls:']),
    ...unencrypted(env, Object.keys(REDIS_ACCESS.properties), ['REDIS_URL', 'rediss:']),
  ]
  const mechanism = env['KAFKA_SASL_MECHANISM']
  if (mechanism) {
    const wanted = mechanism === 'oauthbearer' ? ['KAFKA_OAUTH_TOKEN_URL'] : []
    for (const name of ['KAFKA_USERNAME', 'KAFKA_PASSWORD', ...wanted]) {
      if (!env[name]) mistakes.push(`KAFKA_SASL_MECHANISM=${mechanism} needs ${name}`)
    }
  } else {
    const login = ['KAFKA_USERNAME', 'KAFKA_PASSWORD', 'KAFKA_OAUTH_TOKEN_URL']
    mistakes.push(...idle(env, login, 'KAFKA_SASL_MECHANISM'))
  }
  if (env['KAFKA_TLS'] === 'false' && (env['KAFKA_CA_FILE'] || env['KAFKA_CERT_FILE'])) {
    mistakes.push('KAFKA_TLS=false excludes files of certificates')
  }
  return mistakes
}

function idle(env: NodeJS.ProcessEnv, names: readonly string[], wanted: string): string[] {
  if (env[wanted]) return []
  return names
    .filter((name) => env[name])
    .map((name) => `${name} is without effect: it needs ${wanted}`)
}

function unencrypted(
  env: NodeJS.ProcessEnv,
  names: readonly string[],
  [variable, scheme]: readonly [string, string],
): string[] {
  const url = env[variable]
  if (!url || url.startsWith(scheme)) return []
  return names
    .filter((name) => env[name])
    .map((name) => `${name} needs an address in ${variable} that begins with ${scheme}`)
}

function fileMistakes(env: NodeJS.ProcessEnv, broker: string): string[] {
  const mistakes = ['CA', 'CERT', 'KEY'].flatMap((kind) => {
    const name = `${broker}_${kind}_FILE`
    return env[name] ? readingMistakes(name, env[name]) : []
  })
  if (Boolean(env[`${broker}_CERT_FILE`]) !== Boolean(env[`${broker}_KEY_FILE`])) {
    mistakes.push(`${broker}_CERT_FILE and ${broker}_KEY_FILE belong together`)
  }
  return mistakes
}

function readingMistakes(name: string, path: string): string[] {
  try {
    return readFileSync(path, 'utf8').includes('-----BEGIN ')
      ? []
      : [`${name} must be a PEM file, which ${path} is not`]
  } catch (error) {
    return [`${name} cannot be read: ${(error as Error).message}`]
  }
}
