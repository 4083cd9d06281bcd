import { optionalText } from '@posthorn/system'
import { Type, type Static, type TObject } from 'typebox'
import { fileMistakes, readTls, tlsSettings, type TlsFiles } from './tls-files.ts'

/** How a Schema Registry is reached, and how the subjects of its schemas are named. */
export interface RegistryAccess {
  readonly url: string
  readonly subject: 'topic' | 'type' | 'topic-type'
  readonly auth?:
    { readonly username: string; readonly password: string } | { readonly token: string }
  readonly tls?: TlsFiles
}

const PREFIX = 'KAFKA_SCHEMA_REGISTRY'

export const REGISTRY_ACCESS = {
  KAFKA_SCHEMA_REGISTRY_URL: optionalText(
    'https://registry:8081; records then carry the id of their subject’s newest JSON Schema',
    { pattern: '^https?://[^\\s@]+$' },
  ),
  KAFKA_SCHEMA_REGISTRY_SUBJECT: Type.Optional(
    Type.Union([Type.Literal('topic'), Type.Literal('type'), Type.Literal('topic-type')], {
      description:
        'subject names: topic (<topic>-value, default), type, or topic-type (<topic>-<type>)',
    }),
  ),
  KAFKA_SCHEMA_REGISTRY_USERNAME: optionalText('user at the registry'),
  KAFKA_SCHEMA_REGISTRY_PASSWORD: optionalText('password at the registry', { secret: true }),
  KAFKA_SCHEMA_REGISTRY_TOKEN: optionalText('bearer token instead of user and password', {
    secret: true,
  }),
  ...tlsSettings(PREFIX, 'the registry'),
}

type RegistryValues = Static<TObject<typeof REGISTRY_ACCESS>>

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
  const [user, password, token] = ['USERNAME', 'PASSWORD', 'TOKEN'].map(
    (name) => env[`${PREFIX}_${name}`],
  )
  const mistakes = fileMistakes(env, PREFIX)
  if (Boolean(user) !== Boolean(password)) {
    mistakes.push(`${PREFIX}_USERNAME and ${PREFIX}_PASSWORD belong together`)
  }
  if (token && user) {
    mistakes.push(`${PREFIX}_TOKEN and ${PREFIX}_USERNAME exclude each other`)
  }
  return mistakes
}
