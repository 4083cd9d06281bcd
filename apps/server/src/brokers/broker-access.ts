import { clientCredentials } from '@posthorn/transports/oauth'
import { Type, type Static } from 'typebox'
import {
  REGISTRY_ACCESS,
  readRegistryAccess,
  registryMistakes,
  type RegistryAccess,
} from './schema-registry-access.ts'
import { file, fileMistakes, readTls, type TlsFiles } from './tls-files.ts'

/** How a broker is reached: where it is, whose certificate it shows, and who we are to it. */
export interface BrokerAccess {
  /** As the broker's own variable has it. */
  readonly address: string
  /** Only where the connection is encrypted; without a `ca` the certificates of the system count. */
  readonly tls?: TlsFiles
  readonly sasl?: SaslLogin
  /** After this time without a heartbeat a consumer's partitions go to others. */
  readonly session?: `${number}ms`
  /** Of Kafka: where the schemas of what is sent are. */
  readonly schemaRegistry?: RegistryAccess
  /** Of Amazon: the one that requests are signed for. */
  readonly region?: string
  /** Before the names of all queues. */
  readonly prefix?: string
}

export type SaslLogin =
  | {
      readonly mechanism: 'PLAIN' | 'SCRAM-SHA-256' | 'SCRAM-SHA-512'
      readonly username: string
      readonly password: string
    }
  | { readonly mechanism: 'OAUTHBEARER'; readonly token: () => Promise<string> }

export const KAFKA_ACCESS = Type.Object({
  KAFKA_SESSION_MS: Type.Optional(
    Type.Integer({
      description:
        'milliseconds without a heartbeat until other consumers take the partitions; default 30,000',
      minimum: 6_000,
      maximum: 1_800_000,
    }),
  ),
  KAFKA_TLS: Type.Optional(
    Type.Boolean({
      description: 'true for TLS; implied by any of the files below',
    }),
  ),
  KAFKA_CA_FILE: file('CA certificates of the brokers, a PEM file'),
  KAFKA_CERT_FILE: file('client certificate, a PEM file'),
  KAFKA_KEY_FILE: file('key of the client certificate, a PEM file'),
  KAFKA_SASL_MECHANISM: Type.Optional(
    Type.Union(
      [
        Type.Literal('plain'),
        Type.Literal('scram-sha-256'),
        Type.Literal('scram-sha-512'),
        Type.Literal('oauthbearer'),
      ],
      {
        description: 'plain, scram-sha-256, scram-sha-512 or oauthbearer',
      },
    ),
  ),
  KAFKA_USERNAME: Type.Optional(
    Type.String({ description: 'user; with oauthbearer the client id' }),
  ),
  KAFKA_PASSWORD: Type.Optional(
    Type.String({
      description: 'password; with oauthbearer the client secret',
      secret: true,
    }),
  ),
  KAFKA_OAUTH_TOKEN_URL: Type.Optional(
    Type.String({
      description: 'token endpoint for oauthbearer, http(s)://…',
      pattern: '^https?://\\S+$',
    }),
  ),
  KAFKA_OAUTH_SCOPE: Type.Optional(Type.String({ description: 'scope of those tokens' })),
  ...REGISTRY_ACCESS.properties,
})

export const RABBITMQ_ACCESS = Type.Object({
  RABBITMQ_CA_FILE: file('CA certificates of an amqps: broker, a PEM file'),
  RABBITMQ_CERT_FILE: file('client certificate, a PEM file'),
  RABBITMQ_KEY_FILE: file('key of the client certificate, a PEM file'),
})

export const NATS_ACCESS = Type.Object({
  NATS_CA_FILE: file('CA certificates of a tls: server, a PEM file'),
  NATS_CERT_FILE: file('client certificate, a PEM file'),
  NATS_KEY_FILE: file('key of the client certificate, a PEM file'),
})

export const REDIS_ACCESS = Type.Object({
  REDIS_CA_FILE: file('CA certificates of a rediss: server, a PEM file'),
  REDIS_CERT_FILE: file('client certificate, a PEM file'),
  REDIS_KEY_FILE: file('key of the client certificate, a PEM file'),
})

export const SQS_ACCESS = Type.Object({
  SQS_REGION: Type.Optional(
    Type.String({
      description: 'region, if the address does not contain it; default us-east-1',
      pattern: '^[a-z0-9-]{1,50}$',
    }),
  ),
  SQS_PREFIX: Type.Optional(
    Type.String({
      description: 'prefix of all queue names; default posthorn_',
      pattern: '^[A-Za-z0-9_-]{1,16}$',
    }),
  ),
})

type KafkaValues = Static<typeof KAFKA_ACCESS>
export function readKafkaAccess(address: string, values: KafkaValues): BrokerAccess {
  const tls = readTls('KAFKA', values)
  const isEncrypted = values.KAFKA_TLS ?? Object.keys(tls).length > 0
  const sasl = readLogin(values)
  const { KAFKA_SESSION_MS: ms } = values
  const schemaRegistry = readRegistryAccess(values)
  return {
    address,
    ...(isEncrypted && { tls }),
    ...(sasl && { sasl }),
    ...(ms !== undefined && { session: `${ms}ms` }),
    ...(schemaRegistry && { schemaRegistry }),
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

/** As `sqs.eu-central-1.amazonaws.com` and Amazon's other names for the same say it. */
const REGION = /[./]sqs(?:-fips)?\.([a-z]{2,}(?:-[a-z0-9]+)+)\./

export function readSqsAccess(address: string, values: Static<typeof SQS_ACCESS>): BrokerAccess {
  const { SQS_REGION: named, SQS_PREFIX: prefix } = values
  const region = named ?? REGION.exec(address)?.[1] ?? 'us-east-1'
  return { address, region, ...(prefix !== undefined && { prefix }) }
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
    ...registryMistakes(env),
    ...idle(env, Object.keys(KAFKA_ACCESS.properties), 'KAFKA_BROKERS'),
    ...idle(env, Object.keys(RABBITMQ_ACCESS.properties), 'RABBITMQ_URL'),
    ...idle(env, Object.keys(NATS_ACCESS.properties), 'NATS_URL'),
    ...idle(env, Object.keys(REDIS_ACCESS.properties), 'REDIS_URL'),
    ...idle(env, Object.keys(SQS_ACCESS.properties), 'SQS_ENDPOINT'),
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
