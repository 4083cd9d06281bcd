import type { Duration } from '@posthorn/engine'
import type { Static } from 'typebox'
import type { ClaimNames } from '@posthorn/http'
import { type System, readSettings } from '@posthorn/system'
import { accessMistakes } from '../brokers/broker-access.ts'
import { readBrokers, type BrokerAccesses } from '../brokers/broker-catalogue.ts'
import { isProduction, modeMistakes, remoteMistakes } from './mode.ts'
import { SERVER_SETTINGS } from './server-settings.ts'
import { OWN_OUTBOXES } from '../systems/own-outboxes.ts'

export const ROLES = ['api', 'relay', 'worker'] as const
export type Role = (typeof ROLES)[number]

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
  /** A build of the dashboard to serve instead of ours. */
  readonly dashboardFolder: string | undefined
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
  const production = isProduction(env)
  const source = { env, production }
  const { values, mistakes } = readSettings(SERVER_SETTINGS, source)
  const read = systems.map(({ name, settings }) => ({ name, ...readSettings(settings, source) }))
  const isRemoteAllowed = production || values.POSTHORN_REMOTE_DEVELOPMENT
  const all = [
    ...modeMistakes(env),
    ...mistakes,
    ...(production ? findMissingInProduction(env, systems) : []),
    ...(isRemoteAllowed ? [] : remoteMistakes(values.DATABASE_URL)),
    ...tokenMistakes(env),
    ...accessMistakes(env),
    ...read.flatMap((each) => each.mistakes),
  ]
  // Systems share settings: what is wrong with one is said once.
  if (all.length > 0) throw new ConfigurationError([...new Set(all)])
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
    dashboardFolder: values.POSTHORN_DASHBOARD_DIR,
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
