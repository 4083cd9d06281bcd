import { SERVER_SETTINGS, type Configuration } from '@posthorn/server'
import type { Systems } from '../environment.ts'
import { nearest, oneLine } from '../terminal/words.ts'
import { fail, ok, warn, type Finding } from './finding.ts'

/** The variables of an environment, and who reads them. */
export interface Variables {
  readonly env: NodeJS.ProcessEnv
  readonly systems: Systems
}

/** What is suspicious about an environment that has no mistakes. */
export function checkConfiguration(configuration: Configuration, variables: Variables): Finding[] {
  const { production, roles, unknown: names } = configuration
  const mode = production ? 'production' : 'development'
  const known = namesOf(variables.systems)
  return [
    ok('configuration', `${mode}, roles ${[...roles].join(', ')}`),
    ...names.map((name) => notOurs(name, nearest(name, known))),
    ...nearMisses(variables.env, known).map(([name, meant]) => notOurs(name, meant)),
  ]
}

function notOurs(name: string, meant: string | undefined): Finding {
  const says = `unknown variable ${oneLine(name)}`
  if (meant === undefined) return warn('configuration', says, 'see docs/reference/config.md')
  return warn('configuration', says, { todo: `did you mean ${meant}?`, run: `unset ${name}` })
}

function namesOf(systems: Systems): string[] {
  const schemas = [SERVER_SETTINGS, ...systems.map(({ settings }) => settings)]
  return [...new Set(schemas.flatMap(({ properties }) => Object.keys(properties)))]
}

/** As much of a name must be the same before it is taken for a slip: HOME is not HOST. */
const SAME_LETTERS = 5
const OTHER_LETTERS = 2

/** Variables without our prefix that differ by a letter or two from one that is not set. */
function nearMisses(env: NodeJS.ProcessEnv, known: readonly string[]): [string, string][] {
  const unset = known.filter((name) => !env[name])
  return Object.keys(env).flatMap((name) => {
    if (known.includes(name) || name.startsWith('POSTHORN_')) return []
    const alike = unset.filter(
      (each) =>
        each.slice(0, SAME_LETTERS) === name.slice(0, SAME_LETTERS) &&
        Math.abs(each.length - name.length) <= OTHER_LETTERS,
    )
    const meant = nearest(name, alike)
    return meant === undefined ? [] : [[name, meant] as [string, string]]
  })
}

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
  return findings.length > 0 ? findings : [ok('secrets', 'none can be guessed')]
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
  return [warn('secrets', says, { todo: 'give each purpose its own secret', run: MAKE_ONE })]
}

/** Values that stand in the source, so that everybody knows them. */
function developmentSecrets(variables: Variables): Finding[] {
  return secretsOf(variables)
    .filter(({ value, byDefault }) => value === byDefault)
    .map(({ name }) => {
      const says = `${name} is the secret of development, which everybody can read`
      return fail('secrets', says, { todo: 'give production its own', run: MAKE_ONE })
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
