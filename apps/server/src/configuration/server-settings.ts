import { ROLES as TOKEN_ROLES } from '@posthorn/http'
import { optionalText, wholeNumber } from '@posthorn/system'
import { Type } from 'typebox'
import { BROKER_SETTINGS } from '../brokers/broker-catalogue.ts'

const OIDC_ROLE = `(${TOKEN_ROLES.join('|')})=[^\\s,=]+`

/** A number of proxies, or addresses and networks; `false` is what it was before. */
const PROXIES = '^(false|[1-9]\\d?|[0-9a-fA-F.:]+(/\\d+)?(\\s*,\\s*[0-9a-fA-F.:]+(/\\d+)?)*)$'

/** What the server itself reads from the environment; systems add their own. */
export const SERVER_SETTINGS = Type.Object({
  PORT: wholeNumber('port; 0 takes a free one', [0, 65_535, 4600]),
  HOST: Type.String({
    description: 'the address to listen on',
    pattern: '^[^\\s/]+$',
    default: '127.0.0.1',
  }),
  POSTHORN_BASE_URL: optionalText('public address, http(s)://host', {
    pattern: '^https?://[^/\\s]+$',
  }),
  POSTHORN_ROLES: Type.String({
    description: 'all, or some of api,relay,worker',
    pattern: '^(all|(api|relay|worker)(\\s*,\\s*(api|relay|worker))*)$',
    default: 'all',
  }),
  POSTHORN_DATA_DIR: Type.String({
    description: 'folder of the embedded PostgreSQL, files and the generated secret',
    pattern: '^[^\\u0000]+$',
    default: '.posthorn',
  }),
  POSTHORN_JWT_SECRET: optionalText('secret of HS256 tokens, at least 32 characters', {
    secret: true,
    minLength: 32,
  }),
  POSTHORN_JWKS_URL: optionalText('address of the published token keys, http(s)://…', {
    pattern: '^https?://\\S+$',
  }),
  PORTAL_FRAME_ANCESTORS: Type.String({
    description:
      'origins that may embed the merchants’ portal, separated by blanks: https://shop.example',
    pattern: '^(https?://[A-Za-z0-9*._:\\[\\]-]+( +https?://[A-Za-z0-9*._:\\[\\]-]+)*)?$',
    default: '',
  }),
  POSTHORN_JWT_ISSUER: optionalText('required iss of tokens by published keys'),
  POSTHORN_JWT_AUDIENCE: optionalText('required aud of tokens by published keys'),
  POSTHORN_DASHBOARD_DIR: optionalText(
    'folder built by posthorn-dashboard, served instead of the default dashboard',
  ),
  POSTHORN_OIDC_AUTHORITY: optionalText('OpenID Connect provider for the dashboard, http(s)://…', {
    pattern: '^https?://[^\\s/;,]+(/[^\\s;,]*)?$',
  }),
  POSTHORN_OIDC_CLIENT_ID: optionalText('client id of the dashboard there'),
  POSTHORN_OIDC_SCOPE: Type.String({
    description: 'scopes that the dashboard requests, separated by blanks',
    pattern: '^openid( [\\x21\\x23-\\x5b\\x5d-\\x7e]+)*$',
    default: 'openid',
  }),
  POSTHORN_OIDC_ORG_CLAIM: Type.String({
    description: 'claim with the organisation',
    pattern: '^\\S+$',
    default: 'org',
  }),
  POSTHORN_OIDC_ROLE_CLAIM: Type.String({
    description: 'claim with the role or roles, such as realm_access.roles',
    pattern: '^\\S+$',
    default: 'role',
  }),
  POSTHORN_OIDC_OPERATOR_ROLE: optionalText(
    'role there that makes an operator; others are members',
    { pattern: '^\\S+$' },
  ),
  POSTHORN_OIDC_ROLES: optionalText(
    'roles here by roles there, such as platform=ops,approver=leads; others are members',
    { pattern: `^${OIDC_ROLE}(,${OIDC_ROLE})*$` },
  ),
  POSTHORN_ENCRYPTION_KEYS: optionalText(
    'keys for stored secrets, 32 characters or more, separated by commas, newest first',
    { secret: true, pattern: '^[^\\s,]{32,}(,[^\\s,]{32,})*$' },
  ),
  DATABASE_URL: optionalText(
    'postgresql://user:password@host:5432/database; for a cluster several hosts, separated by commas',
    { secret: true, pattern: '^postgres(ql)?://\\S+$' },
  ),
  POSTHORN_REMOTE_DEVELOPMENT: Type.Boolean({
    description: 'true allows development mode on another machine’s database',
    default: false,
  }),
  POSTHORN_POOL_SIZE: wholeNumber(
    'connections for requests and consumers; relays have their own',
    [2, 500, 10],
  ),
  POSTHORN_MIGRATE: Type.Union([Type.Literal('auto'), Type.Literal('check')], {
    description: 'auto migrates at the start, check refuses to start with pending migrations',
    default: 'auto',
  }),
  POSTHORN_RELAY_MODE: Type.Union([Type.Literal('listen'), Type.Literal('poll')], {
    description: 'listen, or poll behind a pooler in transaction mode',
    default: 'listen',
  }),
  POSTHORN_RETENTION: optionalText(
    'default retention by class, separated by commas: engine.topics=30d',
    { pattern: '^[a-z.-]+=(forever|\\d{1,6}[mhd])(,[a-z.-]+=(forever|\\d{1,6}[mhd]))*$' },
  ),
  POSTHORN_CONFIG: optionalText(
    'the module that exports systems or outboxes; default posthorn.config.ts in the working folder',
  ),
  POSTHORN_SYSTEMS: optionalText('systems to run: all, none, or names separated by commas'),
  POSTHORN_OPERATOR: optionalText('name of command line users in the audit'),
  ...BROKER_SETTINGS,
  POSTHORN_LOG_LEVEL: Type.Optional(
    Type.Union(
      ['debug', 'info', 'warn', 'error', 'silent'].map((level) => Type.Literal(level)),
      { description: 'debug, info, warn, error or silent' },
    ),
  ),
  POSTHORN_RATE_LIMIT: wholeNumber(
    'requests a minute per caller; 0: no limit',
    [0, 1_000_000, 600],
  ),
  POSTHORN_ORG_RATE_LIMIT: Type.Optional(
    Type.Integer({
      description: 'requests a minute per organisation; 0: no limit; default ten times a caller’s',
      minimum: 0,
      maximum: 10_000_000,
    }),
  ),
  POSTHORN_NETWORK_CONNECTIONS: wholeNumber(
    'open connections per network, without your proxies; 0: no limit',
    [0, 1_000_000, 2_000],
  ),
  POSTHORN_TRUST_PROXY: optionalText(
    'trusted proxies (X-Forwarded-For): their networks, separated by commas, or their number in front of this server',
    { pattern: PROXIES },
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: optionalText(
    'target of traces, http(s)://host:4318; none by default',
    { pattern: '^https?://\\S+$' },
  ),
})
