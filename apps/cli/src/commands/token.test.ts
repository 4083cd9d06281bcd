import { createVerifier } from '@posthorn/http'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { posthorn, posthornHere } from '../testing/posthorn.ts'

// Processes that load a whole server, on a machine that may be busy with other tests.

const folder = await mkdtemp(join(tmpdir(), 'posthorn-token-'))
afterAll(() => rm(folder, { recursive: true, force: true }))

const secret = 'a secret of at least thirty-two characters'

test('is nothing but the token, signed with the secret of the data folder', async () => {
  const { code, stdout, stderr } = await posthorn(['token', '--data-dir', folder])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const file = join(folder, 'jwt-secret')
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  const verify = createVerifier({ secret: await readFile(file, 'utf8') })
  const caller = await verify(stdout.trim())
  expect(caller).toMatchObject({ sub: 'dev', org: 'demo', role: 'platform' })
  const hours = (caller.expiresAt - Date.now()) / 3_600_000
  expect(hours).toBeGreaterThan(11.9)
  expect(hours).toBeLessThanOrEqual(12)
})

test('carries the given claims, signed with the secret of the environment', async () => {
  const args = ['token', '--sub', 'ada', '--org', 'shop', '--role', 'approver', '--expires', '30m']
  const { stdout } = await posthornHere([...args, '--json'], { POSTHORN_JWT_SECRET: secret })
  const { token, expiresAt, ...who } = JSON.parse(stdout)
  expect(who).toEqual({ sub: 'ada', org: 'shop', role: 'approver' })
  const caller = await createVerifier({ secret })(token)
  expect(caller).toMatchObject({ sub: 'ada', org: 'shop', role: 'approver' })
  expect(Math.abs(caller.expiresAt - Date.parse(expiresAt))).toBeLessThan(2_000)
})

describe('is refused', () => {
  const production = { NODE_ENV: 'production', DATABASE_URL: 'postgres://db/x' }
  test.each([
    [['token'], { POSTHORN_JWKS_URL: 'https://login.example/keys' }, 'POSTHORN_JWKS_URL is set'],
    [
      ['token', '--sub', 'ada', '--org', 'shop', '--role', 'member'],
      production,
      'POSTHORN_JWT_SECRET or POSTHORN_JWKS_URL is missing',
    ],
    [
      ['token', '--sub', 'ada'],
      { ...production, POSTHORN_JWT_SECRET: secret },
      'needs --sub, --org and --role',
    ],
    [['token'], { NODE_ENV: 'Production' }, 'NODE_ENV must be'],
    [['token'], { DATABASE_URL: 'postgres://db/x' }, 'POSTHORN_REMOTE_DEVELOPMENT=true'],
    [['token', '--sub', ''], { POSTHORN_JWT_SECRET: secret }, '--sub is a name'],
    [['token', '--org', 'a\nb'], { POSTHORN_JWT_SECRET: secret }, '--org is a name'],
    [['token', '--expires', '900d'], { POSTHORN_JWT_SECRET: secret }, 'at most 366d'],
    [['token', '--expires', '0s'], { POSTHORN_JWT_SECRET: secret }, 'a number and a unit'],
  ])('%j with %o', async (args, env, says) => {
    const { code, stdout, stderr } = await posthornHere(args, env)
    expect(stderr).toContain(says)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  })
})
