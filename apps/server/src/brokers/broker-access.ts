import { optionalText } from '@posthorn/system'
import { clientCredentials } from '@posthorn/transports/oauth'
import { Type, type Static, type TObject } from 'typebox'
import {
  REGISTRY_ACCESS,
  readRegistryAccess,
  registryMistakes,
  type RegistryAccess,
} from './schema-registry-access.ts'
import { fileMistakes, readTls, tlsSettings, type TlsFiles } from './tls-files.ts'

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

export const KAFKA_ACCESS = {
  KAFKA_SESSION_MS: Type.Optional(
    Type.Integer({
      description:
        'milliseconds without a heartbeat until other consumers take the partitions; default 30,000',
      minimum: 6_000,
      maximum: 1_800_000,
    }),
  ),
  KAFKA_TLS: Type.Optional(
    Type.Boolean({ description: 'true for TLS; implied by any of the files below' }),
  ),
  ...tlsSettings('KAFKA', 'the brokers'),
  KAFKA_SASL_MECHANISM: Type.Optional(
    Type.Union(
      [
        Type.Literal('plain'),
        Type.Literal('scram-sha-256'),
        Type.Literal('scram-sha-512'),
        Type.Literal('oauthbearer'),
      ],
      { description: 'plain, scram-sha-256, scram-sha-512 or oauthbearer' },
    ),
  ),
  KAFKA_USERNAME: optionalText('user; with oauthbearer the client id'),
  KAFKA_PASSWORD: optionalText('password; with oauthbearer the client secret', { secret: true }),
  KAFKA_OAUTH_TOKEN_URL: optionalText('token endpoint for oauthbearer, http(s)://…', {
    pattern: '^https?://\\S+$',
  }),
  KAFKA_OAUTH_SCOPE: optionalText('scope of those tokens'),
  ...REGISTRY_ACCESS,
}

/** What the addresses of encrypted connections begin with, by the prefix of the broker's variables. */
const ENCRYPTED = { RABBITMQ: 'amqps:', NATS: 'tls:', REDIS: 'rediss:' } as const

export const SQS_ACCESS = {
  SQS_REGION: optionalText('region, if the address does not contain it; default us-east-1', {
    pattern: '^[a-z0-9-]{1,50}$',
  }),
  SQS_PREFIX: optionalText('prefix of all queue names; default posthorn_', {
    pattern: '^[A-Za-z0-9_-]{1,16}$',
  }),
}

type KafkaValues = Static<TObject<typeof KAFKA_ACCESS>>
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

/** A broker whose address says whether the connection is encrypted. */
export function readAccess(
  prefix: keyof typeof ENCRYPTED,
  address: string,
  values: Readonly<Record<string, unknown>>,
): BrokerAccess {
  if (!address.startsWith(ENCRYPTED[prefix])) return { address }
  return { address, tls: readTls(prefix, values) }
}

/** As `sqs.eu-central-1.amazonaws.com` and Amazon's other names for the same say it. */
const REGION = /[./]sqs(?:-fips)?\.([a-z]{2,}(?:-[a-z0-9]+)+)\./

export function readSqsAccess(
  address: string,
  values: Static<TObject<typeof SQS_ACCESS>>,
): BrokerAccess {
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
  const byAddress = Object.entries(ENCRYPTED).map(([prefix, scheme]) => ({
    names: ['CA', 'CERT', 'KEY'].map((kind) => `${prefix}_${kind}_FILE`),
    wanted: `${prefix}_URL`,
    scheme,
  }))
  const mistakes = [
    ...registryMistakes(env),
    ...idle(env, Object.keys(REGISTRY_ACCESS), 'KAFKA_SCHEMA_REGISTRY_URL'),
    ...idle(env, Object.keys(KAFKA_ACCESS), 'KAFKA_BROKERS'),
    ...byAddress.flatMap(({ names, wanted }) => idle(env, names, wanted)),
    ...idle(env, Object.keys(SQS_ACCESS), 'SQS_ENDPOINT'),
    ...['KAFKA', ...Object.keys(ENCRYPTED)].flatMap((broker) => fileMistakes(env, broker)),
    ...byAddress.flatMap(({ names, wanted, scheme }) => unencrypted(env, names, [wanted, scheme])),
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
