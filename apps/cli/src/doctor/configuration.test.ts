import { loadSystems, readConfiguration } from '@posthorn/server'
import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { checkSecrets } from './secrets.ts'

const systems = await loadSystems({})

/** A production that has everything and nothing to be ashamed of. */
const PRODUCTION: Record<string, string> = {
  NODE_ENV: 'production',
  DATABASE_URL: 'postgres://u:p@db/posthorn',
  POSTHORN_JWT_SECRET: randomBytes(32).toString('base64url'),
  POSTHORN_ENCRYPTION_KEYS: randomBytes(32).toString('base64url'),
  ...requiredSettings(),
  SMTP_URL: 'smtp://mail.example:587',
  OUTBOUND_EMAIL_URL: 'smtp://mail.example:587',
}

interface Setting {
  readonly production?: string
  /** Needed only where another setting has this value. */
  readonly when?: readonly [name: string, value: string]
  readonly secret?: true
  readonly default?: unknown
}

/** What production must name for the systems, as they are set by default; random, where it is a secret. */
function requiredSettings(): Record<string, string> {
  const fields = systems.flatMap(({ settings }) => Object.entries(settings.properties))
  return Object.fromEntries(
    fields.flatMap(([name, field]) => {
      const { production, when, secret, ...rest } = field as Setting
      // Of the gateways the one that is the default.
      if (production !== 'required' || when?.[1] === 'stripe') return []
      const value = secret ? randomBytes(32).toString('base64url') : rest.default
      return [[name, String(value)]]
    }),
  )
}

function examine(more: Record<string, string> = {}) {
  const env = { ...PRODUCTION, ...more }
  return checkSecrets(readConfiguration(env, systems), { env, systems })
}

test('good secrets are fine', () => {
  expect(examine()).toEqual([{ check: 'secrets', level: 'ok', says: 'none is guessable' }])
})

test('a secret that is no random text fails, and is never shown', () => {
  const weak = 'passwordpasswordpasswordpassword'
  const found = examine({ POSTHORN_JWT_SECRET: weak, POSTHORN_ENCRYPTION_KEYS: 'x'.repeat(40) })
  expect(found).toMatchObject([
    {
      level: 'fail',
      says: 'POSTHORN_JWT_SECRET is not random',
      run: 'openssl rand -base64 32',
    },
    { level: 'fail', says: 'POSTHORN_ENCRYPTION_KEYS is not random' },
  ])
  expect(JSON.stringify(found)).not.toContain(weak)
})

test('one secret for two purposes is a warning', () => {
  const POSTHORN_ENCRYPTION_KEYS = PRODUCTION['POSTHORN_JWT_SECRET'] ?? ''
  expect(examine({ POSTHORN_ENCRYPTION_KEYS })).toMatchObject([
    { level: 'warn', says: 'POSTHORN_JWT_SECRET is one of POSTHORN_ENCRYPTION_KEYS' },
  ])
})

test('a secret of development fails in production', () => {
  const PAYMENTS_WEBHOOK_SECRET = 'a webhook secret for development only'
  expect(examine({ PAYMENTS_WEBHOOK_SECRET })).toMatchObject([
    {
      level: 'fail',
      says: expect.stringContaining('PAYMENTS_WEBHOOK_SECRET is the secret of dev'),
    },
  ])
})

test("a system's own secret that is no random text fails", () => {
  expect(examine({ PAYMENTS_WEBHOOK_SECRET: 'secret'.repeat(4) })).toMatchObject([
    { level: 'fail', says: 'PAYMENTS_WEBHOOK_SECRET is not random' },
  ])
})

test('development is not asked', () => {
  expect(checkSecrets(readConfiguration({}, systems), { env: {}, systems })).toEqual([])
})
