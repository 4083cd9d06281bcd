import { Type } from 'typebox'
import { describe, expect, test } from 'vitest'
import { listKafkaBrokers } from '../brokers/broker-catalogue.ts'
import { readConfiguration, type ConfigurationError } from './configuration.ts'

const own = { name: 'shop', settings: Type.Object({ SHOP_NAME: Type.String({ minLength: 3 }) }) }

function mistakesOf(
  env: NodeJS.ProcessEnv,
  systems: Parameters<typeof readConfiguration>[1] = [own],
): readonly string[] {
  try {
    readConfiguration(env, systems)
    return []
  } catch (error) {
    return (error as ConfigurationError).mistakes
  }
}

describe('readConfiguration', () => {
  test('has a default for everything in development', () => {
    const configuration = readConfiguration({}, [])
    expect(configuration).toMatchObject({
      production: false,
      host: '127.0.0.1',
      port: 4600,
      portIsGiven: false,
      dataFolder: '.posthorn',
      databaseUrl: undefined,
      migrate: 'auto',
      logLevel: 'warn',
    })
    expect([...configuration.roles]).toEqual(['api', 'relay', 'worker'])
  })

  test('takes an empty variable for an absent one', () => {
    expect(readConfiguration({ PORT: '', DATABASE_URL: '' }, [])).toMatchObject({
      port: 4600,
      portIsGiven: false,
      databaseUrl: undefined,
    })
  })

  test('reads lists and roles', () => {
    const env = { KAFKA_BROKERS: 'a:9092, b:9093', POSTHORN_ROLES: 'relay, worker' }
    const { brokers, roles } = readConfiguration(env, [])
    const kafka = { address: 'a:9092, b:9093' }
    expect(brokers).toEqual({ kafka })
    expect(listKafkaBrokers(kafka)).toEqual(['a:9092', 'b:9093'])
    expect([...roles]).toEqual(['relay', 'worker'])
  })

  test("reads and checks a system's own settings", () => {
    expect(readConfiguration({ SHOP_NAME: 'corner' }, [own]).settings).toEqual({
      shop: { SHOP_NAME: 'corner' },
    })
    expect(mistakesOf({})).toEqual([expect.stringContaining('SHOP_NAME is missing')])
    expect(mistakesOf({ SHOP_NAME: 'x' })).toEqual([expect.stringContaining('SHOP_NAME must be')])
  })

  test('warns of a name that only looks like a setting', () => {
    expect(readConfiguration({ POSTHORN_ROLE: 'api', OTHER: '1' }, []).unknown).toEqual([
      'POSTHORN_ROLE',
    ])
  })

  test.each([
    [{ POSTHORN_ROLES: 'all,api' }, 'POSTHORN_ROLES'],
    [{ POSTHORN_BASE_URL: 'ftp://x' }, 'POSTHORN_BASE_URL'],
    [{ KAFKA_BROKERS: 'localhost' }, 'KAFKA_BROKERS'],
    [{ POSTHORN_TRUST_PROXY: 'true' }, 'POSTHORN_TRUST_PROXY'],
    [{ POSTHORN_MIGRATE: 'later' }, 'POSTHORN_MIGRATE'],
    [{ PORT: '4600.5' }, 'PORT'],
  ])('refuses %j', (env, name) => {
    expect(mistakesOf(env, [])).toEqual([expect.stringMatching(new RegExp(`^${name} must be`))])
  })

  test('never repeats a secret', () => {
    const wrong = { RABBITMQ_URL: 'http://guest:hunter2@x', POSTHORN_JWT_SECRET: 'hunter2' }
    expect(mistakesOf(wrong, [])).toHaveLength(2)
    expect(mistakesOf(wrong, []).join()).not.toContain('hunter2')
  })

  test.each(['Production', 'prod', 'staging', 'production ', 'DEVELOPMENT'])(
    'NODE_ENV=%j is no mode, and not development',
    (mode) => {
      const database = 'postgres://u:hunter2@127.0.0.1/x'
      expect(mistakesOf({ NODE_ENV: mode, DATABASE_URL: database }, [])).toEqual([
        `NODE_ENV must be development, test or production, or unset, not "${mode}"`,
      ])
    },
  )

  test.each(['', 'development', 'test'])('NODE_ENV=%j is development', (mode) => {
    expect(readConfiguration({ NODE_ENV: mode }, []).production).toBe(false)
  })

  test.each([
    ['db.example.com', 'postgres://u:hunter2@db.example.com/x'],
    ['10.0.0.5', 'postgres://u:hunter2@10.0.0.5:5433/x'],
    ['127.0.0.1.example.com', 'postgres://u:hunter2@127.0.0.1.example.com/x'],
    ['db.example.com', 'postgres://u:hunter2@127.0.0.1/x?host=db.example.com'],
    ['db2', 'postgres://u:hunter2@localhost:5432,db2:5432/x'],
  ])('development on %s needs its switch', (host, url) => {
    const mistakes = mistakesOf({ DATABASE_URL: url }, [])
    expect(mistakes).toEqual([expect.stringContaining(`DATABASE_URL is on ${host}, another`)])
    expect(mistakes.join()).toContain('POSTHORN_REMOTE_DEVELOPMENT=true')
    expect(mistakes.join()).not.toContain('hunter2')
    expect(mistakesOf({ DATABASE_URL: url, POSTHORN_REMOTE_DEVELOPMENT: 'true' }, [])).toEqual([])
    const switched = { DATABASE_URL: url, POSTHORN_REMOTE_DEVELOPMENT: 'false' }
    expect(mistakesOf(switched, [])).toHaveLength(1)
  })

  test.each([
    'postgres://u@localhost/x',
    'postgres://u@127.0.0.2:5432/x',
    'postgres://u@[::1]/x',
    'postgres://u@%2Fvar%2Frun%2Fpostgresql/x',
    'postgres:///x?host=/var/run/postgresql',
    'postgres://u@127.0.0.1:5432,localhost:5433/x',
  ])('development on %s needs no switch', (url) => {
    expect(mistakesOf({ DATABASE_URL: url }, [])).toEqual([])
  })

  test('production wants a database and a way to check tokens, and only one', () => {
    const mistakes = mistakesOf({ NODE_ENV: 'production' }, [])
    expect(mistakes).toHaveLength(3)
    expect(mistakes.join()).toContain('DATABASE_URL is missing')
    expect(mistakes.join()).toContain('POSTHORN_JWT_SECRET or POSTHORN_JWKS_URL is missing')
    const both = { POSTHORN_JWT_SECRET: 'x'.repeat(32), POSTHORN_JWKS_URL: 'https://x/keys' }
    expect(mistakesOf(both, [])).toEqual([expect.stringContaining('exclude each other')])
  })

  test('production names everything that is missing at once, and each thing once', () => {
    const folder = { default: 'files', production: 'required', unless: 'BUCKET' }
    const settings = Type.Object({
      MAIL: Type.String({ description: 'the mail server', default: 'sim', production: 'required' }),
      BUCKET: Type.Optional(Type.String()),
      FOLDER: Type.Optional(Type.String({ description: 'the folder', ...folder })),
    })
    const systems = ['shop', 'desk'].map((name) => ({ name, settings }))
    const mistakes = mistakesOf({ NODE_ENV: 'production' }, systems)
    expect(mistakes.filter((each) => !/DATABASE|JWT|ENCRYPTION/.test(each))).toEqual([
      'MAIL is missing: the mail server',
      'BUCKET or FOLDER is missing: the folder',
    ])
    const named = mistakesOf({ NODE_ENV: 'production', MAIL: 'x', BUCKET: 'b' }, systems)
    expect(named).toHaveLength(3)
    expect(mistakesOf({}, systems)).toEqual([])
  })

  test('a login by OpenID Connect is whole, with keys to check its tokens by', () => {
    const [authority, keys] = [
      'https://login.example.test/realm',
      'https://login.example.test/keys',
    ]
    const whole = {
      POSTHORN_OIDC_AUTHORITY: authority,
      POSTHORN_OIDC_CLIENT_ID: 'dashboard',
      POSTHORN_JWKS_URL: keys,
    }
    const asked = { authority, clientId: 'dashboard', scope: 'openid' }
    expect(readConfiguration(whole, []).oidc).toEqual(asked)
    expect(readConfiguration({}, []).oidc).toBeUndefined()
    const { POSTHORN_OIDC_CLIENT_ID: _id, ...nameless } = whole
    expect(mistakesOf(nameless, [])).toEqual([expect.stringContaining('belong together')])
    const { POSTHORN_JWKS_URL: _keys, ...keyless } = whole
    expect(mistakesOf(keyless, [])).toEqual([expect.stringContaining('needs POSTHORN_JWKS_URL')])
    const injecting = { ...whole, POSTHORN_OIDC_AUTHORITY: 'https://x; script-src *' }
    expect(mistakesOf(injecting, [])).toEqual([expect.stringContaining('OIDC_AUTHORITY must')])
  })

  test('what tokens by published keys must say is without effect without such keys', () => {
    const expected = {
      POSTHORN_JWT_ISSUER: 'https://login.example.test',
      POSTHORN_JWT_AUDIENCE: 'posthorn',
      POSTHORN_OIDC_ORG_CLAIM: 'tenant',
      POSTHORN_OIDC_ROLE_CLAIM: 'realm_access.roles',
      POSTHORN_OIDC_OPERATOR_ROLE: 'ops',
      POSTHORN_OIDC_ROLES: 'platform=root,approver=leads',
    }
    const keys = { POSTHORN_JWKS_URL: 'https://login.example.test/keys' }
    expect(readConfiguration({ ...keys, ...expected }, []).published).toEqual({
      issuer: 'https://login.example.test',
      audience: 'posthorn',
      claims: {
        org: 'tenant',
        role: 'realm_access.roles',
        roles: { operator: 'ops', platform: 'root', approver: 'leads' },
      },
    })
    expect(mistakesOf(expected, [])).toHaveLength(6)
    expect(mistakesOf({ ...keys, POSTHORN_OIDC_ROLES: 'root=x' }, [])).toHaveLength(1)
    const claims = { org: 'org', role: 'role' }
    expect(readConfiguration(keys, []).published).toEqual({ claims })
  })
})
