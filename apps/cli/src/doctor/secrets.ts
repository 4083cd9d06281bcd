import type { Configuration } from '@posthorn/server'
import type { Variables } from './configuration.ts'
import { fail, ok, warn, type Finding } from './finding.ts'

/** 16 random characters hardly ever have fewer different ones; a word that is repeated does. */
const FEW_CHARACTERS = 10

const MAKE_ONE = 'openssl rand -base64 32'

/** Secrets of production that could be guessed. Development makes up its own. */
export function checkSecrets(configuration: Configuration, variables: Variables): Finding[] {
  if (!configuration.production) return []
  const findings = [
    ...guessable(configuration, variables),
    ...checkSharedSecret(configuration),
    ...developmentSecrets(variables),
  ]
  return findings.length > 0 ? findings : [ok('secrets', 'none is guessable')]
}

function guessable({ jwtSecret, encryptionKeys = [] }: Configuration, own: Variables): Finding[] {
  const named: [name: string, value: string | undefined][] = [
    ['POSTHORN_JWT_SECRET', jwtSecret],
    ...encryptionKeys.map((key) => ['POSTHORN_ENCRYPTION_KEYS', key] as [string, string]),
    ...secretsOf(own)
      .filter(({ value, byDefault }) => value !== byDefault)
      .map(({ name, value }) => [name, value] as [string, string]),
  ]
  return named
    .filter(([, value]) => value !== undefined && isMonotonous(value))
    .map(([name]) => {
      const advice = { todo: 'create a random one', run: MAKE_ONE }
      return fail('secrets', `${name} is not random`, advice)
    })
}

/** An address may hold a password, and is for others to choose. */
function isMonotonous(value: string): boolean {
  return !value.includes('://') && new Set(value).size < FEW_CHARACTERS
}

function checkSharedSecret({ jwtSecret, encryptionKeys = [] }: Configuration): Finding[] {
  if (jwtSecret === undefined || !encryptionKeys.includes(jwtSecret)) return []
  const says = 'POSTHORN_JWT_SECRET is one of POSTHORN_ENCRYPTION_KEYS'
  return [warn('secrets', says, { todo: 'give each purpose a secret of its own', run: MAKE_ONE })]
}

/** Values that stand in the source, so that everybody knows them. */
function developmentSecrets(variables: Variables): Finding[] {
  return secretsOf(variables)
    .filter(({ value, byDefault }) => value === byDefault)
    .map(({ name }) => {
      const says = `${name} is the secret of development, which everybody can read`
      return fail('secrets', says, { todo: 'give production one of its own', run: MAKE_ONE })
    })
}

interface Secret {
  readonly name: string
  readonly value: string
  readonly byDefault: unknown
}

/** What systems call secret and the environment names, each once. */
function secretsOf({ env, systems }: Variables): Secret[] {
  const all = new Map<string, Secret>()
  for (const { settings } of systems) {
    for (const [name, field] of Object.entries(settings.properties)) {
      const { secret, default: byDefault } = field as { secret?: true; default?: unknown }
      const value = env[name]
      if (secret && value) all.set(name, { name, value, byDefault })
    }
  }
  return [...all.values()]
}
