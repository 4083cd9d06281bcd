import { ROLES as TOKEN_ROLES } from '@posthorn/http'
import type { SettingOptions } from '@posthorn/system'
import { Type } from 'typebox'
import { BROKER_SETTINGS } from '../brokers/broker-catalogue.ts'

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
  POSTHORN_DASHBOARD_DIR: Type.Optional(
    Type.String(setting('a folder that posthorn-dashboard built, to serve instead of ours', {})),
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
  POSTHORN_REMOTE_DEVELOPMENT: Type.Boolean(
    setting('true to run in development mode on a database of another machine', {
      default: false,
    }),
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
        'how long classes of data are kept unless an organisation or the platform sets it, as engine.topics=30d, with commas between',
        { pattern: '^[a-z.-]+=(forever|\\d{1,6}[mhd])(,[a-z.-]+=(forever|\\d{1,6}[mhd]))*$' },
      ),
    ),
  ),
  POSTHORN_CONFIG: Type.Optional(
    Type.String(
      setting(
        'the module that exports systems or outboxes; default posthorn.config.ts in the working folder',
        {},
      ),
    ),
  ),
  POSTHORN_SYSTEMS: Type.Optional(
    Type.String(
      setting(
        'which systems of the configuration run: all, none, or their names with commas between',
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
