import { readConfiguration } from '@posthorn/server'
import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { checkConfiguration, checkSecrets } from './configuration.ts'

const SHOP_SECRET = {
  ...{ type: 'string', description: 'Signs receipts.', default: 'a secret for development only' },
  ...{ secret: true, production: 'required' },
}
const properties = { SHOP_SECRET, SHOP_CURRENCY: { type: 'string' } }
const systems = [{ name: 'shop', settings: { type: 'object', properties, required: [] } }] as never

/** A production whose secrets are random. */
const PRODUCTION: Record<string, string> = {
  NODE_ENV: 'production',
  DATABASE_URL: 'postgres://u:p@db/posthorn',
  POSTHORN_JWT_SECRET: randomBytes(32).toString('base64url'),
  POSTHORN_ENCRYPTION_KEYS: randomBytes(32).toString('base64url'),
  SHOP_SECRET: randomBytes(32).toString('base64url'),
}

function examine(more: Record<string, string> = {}) {
  const env = { ...PRODUCTION, ...more }
  return checkSecrets(readConfiguration(env, systems), { env, systems })
}

test('good secrets are fine', () => {
  expect(examine()).toEqual([{ check: 'secrets', level: 'ok', says: 'none can be guessed' }])
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
  expect(examine({ SHOP_SECRET: SHOP_SECRET.default })).toMatchObject([
    { level: 'fail', says: expect.stringContaining('SHOP_SECRET is the secret of dev') },
  ])
})

test("a system's own secret that is no random text fails", () => {
  expect(examine({ SHOP_SECRET: 'secret'.repeat(4) })).toMatchObject([
    { level: 'fail', says: 'SHOP_SECRET is not random' },
  ])
})

test('development is not asked', () => {
  expect(checkSecrets(readConfiguration({}, systems), { env: {}, systems })).toEqual([])
})

test("a slip in the name of a system's setting is found", () => {
  const env = { SHOP_CURENCY: 'eur' }
  expect(checkConfiguration(readConfiguration(env, systems), { env, systems })).toMatchObject([
    { level: 'ok' },
    { level: 'warn', says: 'unknown variable SHOP_CURENCY', todo: 'did you mean SHOP_CURRENCY?' },
  ])
})
