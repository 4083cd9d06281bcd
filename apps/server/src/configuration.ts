import type { Duration } from '@posthorn/engine'
import { Type, type Static } from 'typebox'
import { ROLES as TOKEN_ROLES, type ClaimNames } from '@posthorn/http'
import type { System } from '@posthorn/systems'
import { readSettings, type SettingOptions } from '@posthorn/systems/settings'
import { accessMistakes } from './broker-access.ts'
import { BROKER_SETTINGS, readBrokers, type BrokerAccesses } from './broker-catalogue.ts'
import { OWN_OUTBOXES } from './own-outboxes.ts'
import { SYSTEM_NAMES } from './system-names.ts'

export const ROLES = ['api', 'relay', 'worker'] as const
export type Role = (typeof ROLES)[number]

const OIDC_ROLE = `(${TOKEN_ROLES.join('|')})=[^\\s,=]+`
const OIDC_ROLES = `^${OIDC_ROLE}(,${OIDC_ROLE})*$`

const setting = <Options>(description: string, options: Options & Partial<SettingOptions>) => ({
  description,
  ...options,
})

/** A number of proxies, or addresses and networks; `false` is what it was before. */
const PROXIES = '^(false|[1-9]\\d?|[0-9a-fA-F.:]+(/\\d+)?(\\s*,\\s*[0-9a-fA-F.:]+(/\\d+)?)*)$'

/** What the server itself reads from the environment; systems add their own. */
export const SERVER_SETTINGS = Type.Object({
  PORT: Type.Integer(
    setting('the port to listen on, or 0 for any that is free', {
      minimum: 0,
      maximum: 65_535,
      default: 4600,
    }),
  ),
  HOST: Type.String(
    setting('the address to listen on', { pattern: '^[^\\s/]+$', default: '127.0.0.1' }),
  ),
  POSTHORN_BASE_URL: Type.Optional(
    Type.String(
      setting('where the server is reached from outside, as http(s)://host', {
        pattern: '^https?://[^/\\s]+$',
      }),
    ),
  ),
  POSTHORN_ROLES: Type.String(
    setting('what this process does: all, or some of api, relay, worker with commas between', {
      pattern: '^(all|(api|relay|worker)(\\s*,\\s*(api|relay|worker))*)$',
      default: 'all',
    }),
  ),
  POSTHORN_DATA_DIR: Type.String(
    setting('the folder of the embedded PostgreSQL, of files and of the generated secret', {
      pattern: '^[^\\u0000]+$',
      default: '.posthorn',
    }),
  ),
  POSTHORN_JWT_SECRET: Type.Optional(
    Type.String(
      setting('the secret of HS256 tokens, at least 32 characters', {
        secret: true,
        minLength: 32,
      }),
    ),
  ),
  POSTHORN_JWKS_URL: Type.Optional(
    Type.String(
      setting('where the keys of tokens are published, as http(s)://…', {
        pattern: '^https?://\\S+$',
      }),
    ),
  ),
  PORTAL_FRAME_ANCESTORS: Type.String(
    setting(
      'origins that may embed the portal for merchants, as https://shop.example with blanks between; none may without it',
      {
        pattern: '^(https?://[A-Za-z0-9*._:\\[\\]-]+( +https?://[A-Za-z0-9*._:\\[\\]-]+)*)?$',
        default: '',
      },
    ),
  ),
  POSTHORN_JWT_ISSUER: Type.Optional(
    Type.String(setting('who must have made tokens by published keys, as their iss says', {})),
  ),
  POSTHORN_JWT_AUDIENCE: Type.Optional(
    Type.String(setting('whom tokens by published keys must be for, as their aud says', {})),
  ),
  POSTHORN_OIDC_AUTHORITY: Type.Optional(
    Type.String(
      setting('who logs people in to the dashboard by OpenID Connect, as http(s)://…', {
        pattern: '^https?://[^\\s/;,]+(/[^\\s;,]*)?$',
      }),
    ),
  ),
  POSTHORN_OIDC_CLIENT_ID: Type.Optional(
    Type.String(setting('the name under which the dashboard is registered there', {})),
  ),
  POSTHORN_OIDC_SCOPE: Type.String(
    setting('what the dashboard asks for there, with blanks between', {
      pattern: '^openid( [\\x21\\x23-\\x5b\\x5d-\\x7e]+)*$',
      default: 'openid',
    }),
  ),
  POSTHORN_OIDC_ORG_CLAIM: Type.String(
    setting('which claim of tokens by published keys names the organisation', {
      pattern: '^\\S+$',
      default: 'org',
    }),
  ),
  POSTHORN_OIDC_ROLE_CLAIM: Type.String(
    setting('which of their claims names the role or roles, as role or realm_access.roles', {
      pattern: '^\\S+$',
      default: 'role',
    }),
  ),
  POSTHORN_OIDC_OPERATOR_ROLE: Type.Optional(
    Type.String(
      setting('which role there makes an operator; others are then members', {
        pattern: '^\\S+$',
      }),
    ),
  ),
  POSTHORN_OIDC_ROLES: Type.Optional(
    Type.String(
      setting(
        'which roles there make which of ours, as platform=ops,approver=leads; others are then members',
        { pattern: OIDC_ROLES },
      ),
    ),
  ),
  POSTHORN_ENCRYPTION_KEYS: Type.Optional(
    Type.String(
      setting(
        'what stored secrets are encrypted with, 32 characters or more; with commas between, newest first, to change it',
        {
          secret: true,
          pattern: '^[^\\s,]{32,}(,[^\\s,]{32,})*$',
        },
      ),
    ),
  ),
  DATABASE_URL: Type.Optional(
    Type.String(
      setting(
        'a PostgreSQL, as postgresql://user:password@host:5432/database; several hosts with commas between, of which one takes writes',
        {
          secret: true,
          pattern: '^postgres(ql)?://\\S+$',
        },
      ),
    ),
  ),
  POSTHORN_POOL_SIZE: Type.Integer(
    setting('connections for requests and consumers; relays have their own', {
      minimum: 2,
      maximum: 500,
      default: 10,
    }),
  ),
  POSTHORN_MIGRATE: Type.Union(
    [Type.Literal('auto'), Type.Literal('check')],
    setting('auto to migrate at the start, check to refuse to start with any pending', {
      default: 'auto',
    }),
  ),
  POSTHORN_RELAY_MODE: Type.Union(
    [Type.Literal('listen'), Type.Literal('poll')],
    setting('listen, or poll behind a pooler in transaction mode such as PgBouncer', {
      default: 'listen',
    }),
  ),
  POSTHORN_RETENTION: Type.Optional(
    Type.String(
      setting(
        'how long classes of data are kept unless an organisation or the platform sets it, as payments.webhook-deliveries=30d, with commas between',
        { pattern: '^[a-z.-]+=(forever|\\d{1,6}[mhd])(,[a-z.-]+=(forever|\\d{1,6}[mhd]))*$' },
      ),
    ),
  ),
  POSTHORN_CONFIG: Type.Optional(
    Type.String(setting('a module that exports outboxes or systems of your own, as a path', {})),
  ),
  POSTHORN_SYSTEMS: Type.Optional(
    Type.String(
      setting(
        `which systems of the server run: all, none, or some of ${SYSTEM_NAMES.join(', ')} with commas between`,
        {},
      ),
    ),
  ),
  POSTHORN_OPERATOR: Type.Optional(
    Type.String(setting('the name that the audit gives to users of the command line', {})),
  ),
  ...BROKER_SETTINGS,
  POSTHORN_LOG_LEVEL: Type.Optional(
    Type.Union(
      ['debug', 'info', 'warn', 'error', 'silent'].map((level) => Type.Literal(level)),
      setting('debug, info, warn, error or silent', {}),
    ),
  ),
  POSTHORN_RATE_LIMIT: Type.Integer(
    setting('requests a minute for one caller, or 0 for no limit', {
      minimum: 0,
      maximum: 1_000_000,
      default: 600,
    }),
  ),
  POSTHORN_ORG_RATE_LIMIT: Type.Optional(
    Type.Integer(
      setting(
        'requests a minute for all callers of one organisation, or 0 for no limit; without it ten times those of one caller',
        { minimum: 0, maximum: 10_000_000 },
      ),
    ),
  ),
  POSTHORN_NETWORK_CONNECTIONS: Type.Integer(
    setting(
      'connections that one network may have open, or 0 for no limit; those of your proxies are not counted',
      { minimum: 0, maximum: 1_000_000, default: 2_000 },
    ),
  ),
  POSTHORN_TRUST_PROXY: Type.Optional(
    Type.String(
      setting(
        'whose X-Forwarded-For is believed: the networks of your proxies, with commas between, or how many stand in a row before this server',
        { pattern: PROXIES },
      ),
    ),
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: Type.Optional(
    Type.String(
      setting('where traces go, as http(s)://host:4318; without it there are none', {
        pattern: '^https?://\\S+$',
      }),
    ),
  ),
})

/** What the environment says, checked. */
export interface Configuration {
  readonly production: boolean
  readonly roles: ReadonlySet<Role>
  readonly host: string
  readonly port: number
  /** Whether the port was named: a process without the role api listens only then. */
  readonly portIsGiven: boolean
  readonly baseUrl: string | undefined
  readonly dataFolder: string
  /** A PostgreSQL of your own; without it an embedded one runs in `dataFolder`. */
  readonly databaseUrl: string | undefined
  readonly poolSize: number
  readonly migrate: 'auto' | 'check'
  readonly relayMode: 'listen' | 'poll'
  readonly jwtSecret: string | undefined
  readonly jwksUrl: string | undefined
  /** Origins that may embed the portal. */
  readonly portalAncestors: readonly string[]
  /** Who logs people in to the dashboard; without it they bring a token. */
  readonly oidc:
    { readonly authority: string; readonly clientId: string; readonly scope: string } | undefined
  /** What tokens by published keys must say, and in which words. */
  readonly published: {
    readonly issuer?: string
    readonly audience?: string
    readonly claims: ClaimNames
  }
  /** Newest first; development makes one up. */
  readonly encryptionKeys: readonly string[] | undefined
  /** Brokers of your own; the topics in Postgres stand in for the others. */
  readonly brokers: BrokerAccesses
  /** How long classes of data are kept, by their names, where that is not what the catalogue says. */
  readonly retention: Readonly<Record<string, Duration | 'forever'>>
  readonly logLevel: string
  readonly rateLimit: number
  readonly orgRateLimit: number
  readonly networkConnections: number
  readonly trustProxy: number | readonly string[] | undefined
  readonly tracesEndpoint: string | undefined
  /** What each system reads for itself, by its name. */
  readonly settings: Readonly<Record<string, unknown>>
  /** Variables that look like ours and are not: a slip of the pen, probably. */
  readonly unknown: readonly string[]
}

/** Thrown with every mistake of the environment, one a line. */
export class ConfigurationError extends Error {
  readonly mistakes: readonly string[]

  constructor(mistakes: readonly string[]) {
    super(`The environment is not right:\n  ${mistakes.join('\n  ')}`)
    this.name = 'ConfigurationError'
    this.mistakes = mistakes
  }
}

/** Reads the environment; throws one error that names every mistake in it. */
export function readConfiguration(
  env: NodeJS.ProcessEnv,
  systems: readonly Pick<System, 'name' | 'settings'>[],
): Configuration {
  const production = env['NODE_ENV'] === 'production'
  const source = { env, production }
  const { values, mistakes } = readSettings(SERVER_SETTINGS, source)
  const read = systems.map(({ name, settings }) => ({ name, ...readSettings(settings, source) }))
  const all = [
    ...mistakes,
    ...(production ? findMissingInProduction(env, systems) : []),
    ...tokenMistakes(env),
    ...accessMistakes(env),
    ...read.flatMap((each) => each.mistakes),
  ]
  if (all.length > 0) throw new ConfigurationError(all)
  return {
    ...fieldsOf(values),
    production,
    portIsGiven: Boolean(env['PORT']),
    logLevel: values.POSTHORN_LOG_LEVEL ?? (production ? 'info' : 'warn'),
    settings: Object.fromEntries(read.map(({ name, values: own }) => [name, own])),
    unknown: unknownNames(env, systems),
  }
}

function fieldsOf(values: Static<typeof SERVER_SETTINGS>) {
  return {
    roles: rolesOf(values.POSTHORN_ROLES),
    host: values.HOST,
    port: values.PORT,
    baseUrl: values.POSTHORN_BASE_URL,
    dataFolder: values.POSTHORN_DATA_DIR,
    databaseUrl: values.DATABASE_URL,
    poolSize: values.POSTHORN_POOL_SIZE,
    migrate: values.POSTHORN_MIGRATE,
    relayMode: values.POSTHORN_RELAY_MODE,
    jwtSecret: values.POSTHORN_JWT_SECRET,
    jwksUrl: values.POSTHORN_JWKS_URL,
    portalAncestors: values.PORTAL_FRAME_ANCESTORS.split(/ +/).filter((origin) => origin !== ''),
    oidc: oidcOf(values),
    published: readPublished(values),
    encryptionKeys: values.POSTHORN_ENCRYPTION_KEYS?.split(','),
    brokers: readBrokers(values),
    retention: Object.fromEntries(
      (values.POSTHORN_RETENTION?.split(',') ?? []).map((each) => each.split('=')),
    ) as Configuration['retention'],
    rateLimit: values.POSTHORN_RATE_LIMIT,
    // No limit on callers means none at all: so it was before organisations had one.
    orgRateLimit: values.POSTHORN_ORG_RATE_LIMIT ?? values.POSTHORN_RATE_LIMIT * 10,
    networkConnections: values.POSTHORN_NETWORK_CONNECTIONS,
    trustProxy: proxiesOf(values.POSTHORN_TRUST_PROXY),
    tracesEndpoint: values.OTEL_EXPORTER_OTLP_ENDPOINT,
  }
}

function proxiesOf(text: string | undefined): Configuration['trustProxy'] {
  if (text === undefined || text === 'false') return undefined
  return /^\d+$/.test(text) ? Number(text) : text.split(',').map((network) => network.trim())
}

function oidcOf(values: Static<typeof SERVER_SETTINGS>): Configuration['oidc'] {
  const { POSTHORN_OIDC_AUTHORITY: authority, POSTHORN_OIDC_CLIENT_ID: clientId } = values
  if (authority === undefined || clientId === undefined) return undefined
  return { authority, clientId, scope: values.POSTHORN_OIDC_SCOPE }
}

function readPublished(values: Static<typeof SERVER_SETTINGS>): Configuration['published'] {
  const { POSTHORN_JWT_ISSUER: issuer, POSTHORN_JWT_AUDIENCE: audience } = values
  const { POSTHORN_OIDC_ORG_CLAIM: org, POSTHORN_OIDC_ROLE_CLAIM: role } = values
  const { POSTHORN_OIDC_OPERATOR_ROLE: operator, POSTHORN_OIDC_ROLES: named } = values
  const roles = {
    ...(operator !== undefined && { operator }),
    ...Object.fromEntries(named?.split(',').map((pair) => pair.split('=')) ?? []),
  }
  return {
    ...(issuer !== undefined && { issuer }),
    ...(audience !== undefined && { audience }),
    claims: { org, role, ...(Object.keys(roles).length > 0 && { roles }) },
  }
}

function rolesOf(text: string): ReadonlySet<Role> {
  if (text === 'all') return new Set(ROLES)
  return new Set(text.split(',').map((role) => role.trim() as Role))
}

/** What development makes up for itself and production must be given. */
function findMissingInProduction(
  env: NodeJS.ProcessEnv,
  systems: readonly Pick<System, 'name'>[],
): string[] {
  const mistakes: string[] = []
  if (!env['DATABASE_URL']) {
    mistakes.push('DATABASE_URL is missing: production does not run on the embedded PostgreSQL')
  }
  if (!env['POSTHORN_JWT_SECRET'] && !env['POSTHORN_JWKS_URL']) {
    mistakes.push(
      'POSTHORN_JWT_SECRET or POSTHORN_JWKS_URL is missing: production makes up no secret',
    )
  }
  // Outboxes of one's own have their keys in their definitions.
  const isOwn = systems.length === 1 && systems[0]?.name === OWN_OUTBOXES
  if (!env['POSTHORN_ENCRYPTION_KEYS'] && !isOwn) {
    mistakes.push('POSTHORN_ENCRYPTION_KEYS is missing: production makes up no key')
  }
  return mistakes
}

/** They speak of tokens by published keys: without those they would be silently without effect. */
const FOR_PUBLISHED_KEYS = [
  'POSTHORN_JWT_ISSUER',
  'POSTHORN_JWT_AUDIENCE',
  'POSTHORN_OIDC_ORG_CLAIM',
  'POSTHORN_OIDC_ROLE_CLAIM',
  'POSTHORN_OIDC_OPERATOR_ROLE',
  'POSTHORN_OIDC_ROLES',
]

function tokenMistakes(env: NodeJS.ProcessEnv): string[] {
  const idle = FOR_PUBLISHED_KEYS.filter((name) => env[name] && !env['POSTHORN_JWKS_URL'])
  const mistakes = idle.map((name) => `${name} needs POSTHORN_JWKS_URL, whose tokens it is about`)
  if (env['POSTHORN_JWT_SECRET'] && env['POSTHORN_JWKS_URL']) {
    mistakes.push('POSTHORN_JWT_SECRET and POSTHORN_JWKS_URL exclude each other')
  }
  if (Boolean(env['POSTHORN_OIDC_AUTHORITY']) !== Boolean(env['POSTHORN_OIDC_CLIENT_ID'])) {
    mistakes.push('POSTHORN_OIDC_AUTHORITY and POSTHORN_OIDC_CLIENT_ID belong together')
  }
  if (env['POSTHORN_OIDC_AUTHORITY'] && !env['POSTHORN_JWKS_URL']) {
    mistakes.push('POSTHORN_OIDC_AUTHORITY needs POSTHORN_JWKS_URL, to check the tokens it gives')
  }
  return mistakes
}

function unknownNames(
  env: NodeJS.ProcessEnv,
  systems: readonly Pick<System, 'settings'>[],
): string[] {
  const schemas = [SERVER_SETTINGS, ...systems.map(({ settings }) => settings)]
  const known = new Set(schemas.flatMap(({ properties }) => Object.keys(properties)))
  return Object.keys(env).filter((name) => name.startsWith('POSTHORN_') && !known.has(name))
}
