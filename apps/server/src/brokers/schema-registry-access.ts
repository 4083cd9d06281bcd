import { Type, type Static } from 'typebox'
import { file, fileMistakes, readTls, type TlsFiles } from './tls-files.ts'

/** How a Schema Registry is reached, and how the subjects of its schemas are named. */
export interface RegistryAccess {
  readonly url: string
  readonly subject: 'topic' | 'type' | 'topic-type'
  readonly auth?:
    { readonly username: string; readonly password: string } | { readonly token: string }
  readonly tls?: TlsFiles
}

const PREFIX = 'KAFKA_SCHEMA_REGISTRY'

export const REGISTRY_ACCESS = Type.Object({
  KAFKA_SCHEMA_REGISTRY_URL: Type.Optional(
    Type.String({
      description:
        'https://registry:8081; records then carry the id of their subject’s newest JSON Schema',
      pattern: '^https?://[^\\s@]+$',
    }),
  ),
  KAFKA_SCHEMA_REGISTRY_SUBJECT: Type.Optional(
    Type.Union([Type.Literal('topic'), Type.Literal('type'), Type.Literal('topic-type')], {
      description:
        'subject names: topic (<topic>-value, default), type, or topic-type (<topic>-<type>)',
    }),
  ),
  KAFKA_SCHEMA_REGISTRY_USERNAME: Type.Optional(
    Type.String({ description: 'user at the registry' }),
  ),
  KAFKA_SCHEMA_REGISTRY_PASSWORD: Type.Optional(
    Type.String({ description: 'password at the registry', secret: true }),
  ),
  KAFKA_SCHEMA_REGISTRY_TOKEN: Type.Optional(
    Type.String({ description: 'bearer token instead of user and password', secret: true }),
  ),
  KAFKA_SCHEMA_REGISTRY_CA_FILE: file('CA certificates of the registry, a PEM file'),
  KAFKA_SCHEMA_REGISTRY_CERT_FILE: file('client certificate, a PEM file'),
  KAFKA_SCHEMA_REGISTRY_KEY_FILE: file('key of the client certificate, a PEM file'),
})

type RegistryValues = Static<typeof REGISTRY_ACCESS>

export function readRegistryAccess(values: RegistryValues): RegistryAccess | undefined {
  const { KAFKA_SCHEMA_REGISTRY_URL: url, KAFKA_SCHEMA_REGISTRY_SUBJECT: subject } = values
  if (url === undefined) return undefined
  const tls = readTls(PREFIX, values)
  const auth = loginOf(values)
  return {
    url,
    subject: subject ?? 'topic',
    ...(auth && { auth }),
    ...(Object.keys(tls).length > 0 && { tls }),
  }
}

function loginOf(values: RegistryValues): RegistryAccess['auth'] {
  const { KAFKA_SCHEMA_REGISTRY_USERNAME: username, KAFKA_SCHEMA_REGISTRY_TOKEN: token } = values
  if (token !== undefined) return { token }
  if (username === undefined) return undefined
  return { username, password: values.KAFKA_SCHEMA_REGISTRY_PASSWORD ?? '' }
}

export function registryMistakes(env: NodeJS.ProcessEnv): string[] {
  const [url, user, password, token] = ['URL', 'USERNAME', 'PASSWORD', 'TOKEN'].map(
    (name) => env[`${PREFIX}_${name}`],
  )
  const mistakes = fileMistakes(env, PREFIX)
  if (!url) {
    const others = Object.keys(REGISTRY_ACCESS.properties).filter((name) => env[name])
    mistakes.push(...others.map((name) => `${name} is without effect: it needs ${PREFIX}_URL`))
  }
  if (Boolean(user) !== Boolean(password)) {
    mistakes.push(`${PREFIX}_USERNAME and ${PREFIX}_PASSWORD belong together`)
  }
  if (token && user) {
    mistakes.push(`${PREFIX}_TOKEN and ${PREFIX}_USERNAME exclude each other`)
  }
  return mistakes
}
