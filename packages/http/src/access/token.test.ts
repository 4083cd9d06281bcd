import { createHmac } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { SignJWT, UnsecuredJWT, exportJWK, exportSPKI, generateKeyPair } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ClaimNames, createVerifier, signToken, createTokenCache } from './token.ts'

const secret = 'thirty-two bytes or more of secret'
const key = new TextEncoder().encode(secret)
const claims = { sub: 'ada', org: 'acme' }
const seconds = () => Math.floor(Date.now() / 1_000)

const signPayload = (
  payload: Record<string, unknown>,
  signingKey: Uint8Array = key,
  alg = 'HS256',
) => new SignJWT(payload).setProtectedHeader({ alg }).sign(signingKey)
const good = (extra: Record<string, unknown> = {}) =>
  signPayload({ ...claims, exp: seconds() + 60, ...extra })

/** A token signed with the empty key, under a head that would have it taken. */
function withHead(head: object): string {
  const parts = [head, { ...claims, exp: seconds() + 60 }].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  )
  const mac = createHmac('sha256', '').update(parts.join('.')).digest('base64url')
  return [...parts, mac].join('.')
}

describe('a token by secret', () => {
  const verify = createVerifier({ secret })

  test('says who asks', async () => {
    const token = await signToken({ secret, ...claims, role: 'operator', expiresIn: '10m' })
    const caller = await verify(token)
    expect(caller).toMatchObject({ ...claims, role: 'operator' })
    expect(caller.expiresAt).toBeGreaterThan(Date.now() + 9 * 60_000)
    expect(await verify(await good())).toMatchObject({ role: 'member' })
  })

  test('that never expires says a time that a clock can show', async () => {
    const { expiresAt } = await verify(await good({ exp: 1e14 }))
    expect(new Date(expiresAt).toISOString()).toMatch(/^\+275760-09-13/)
  })

  test('is remembered: the second time needs no promise', async () => {
    const token = await good()
    const first = await verify(token)
    expect(verify(token)).toBe(first)
  })

  test.each([
    ['no exp', () => signPayload(claims)],
    ['no sub', () => good({ sub: undefined })],
    ['no org', () => good({ org: undefined })],
    ['an empty org', () => good({ org: '' })],
    ['a long sub', () => good({ sub: 'x'.repeat(256) })],
    ['a sub that is a number', () => good({ sub: 7 })],
    ['an org with a line break', () => good({ org: 'a\nb' })],
    ['an org with U+0000', () => good({ org: 'a\0b' })],
    ['an unknown role', () => good({ role: 'root' })],
    ['a role that is null', () => good({ role: null })],
    ['nbf in the future', () => good({ nbf: seconds() + 60 })],
    ['another secret', () => signPayload({ ...claims, exp: seconds() + 60 }, key.toReversed())],
    ['HS512', () => signPayload({ ...claims, exp: seconds() + 60 }, new Uint8Array(64), 'HS512')],
    ['the algorithm "nOnE"', async () => withHead({ alg: 'nOnE' })],
    [
      'a critical header that is unknown',
      async () => withHead({ alg: 'HS256', crit: ['x'], x: 1 }),
    ],
    ['a key of its own', async () => withHead({ alg: 'HS256', jwk: { kty: 'oct', k: 'AAAA' } })],
    ['an address of keys', async () => withHead({ alg: 'HS256', jku: 'http://127.0.0.1/keys' })],
    ['a key id that is a path', async () => withHead({ alg: 'HS256', kid: '../../dev/null' })],
    ['no signature', async () => new UnsecuredJWT(claims).setExpirationTime('1h').encode()],
    ['a cut signature', async () => (await good()).slice(0, -2)],
    ['nothing', async () => ''],
    ['spaces', async () => `${await good()} x`],
    ['a megabyte', async () => 'a.'.repeat(500_000)],
  ])('with %s is refused', async (_what, make) => {
    const token = await make()
    await expect(async () => verify(token)).rejects.toMatchObject({
      code: 'UNAUTHENTICATED',
      status: 401,
      headers: { 'www-authenticate': expect.stringContaining('error="invalid_token"') },
    })
  })

  test('past its time is TOKEN_EXPIRED', async () => {
    const token = await good({ exp: seconds() - 10 })
    await expect(async () => verify(token)).rejects.toMatchObject({ code: 'TOKEN_EXPIRED' })
  })

  test('needs a secret of 32 bytes', async () => {
    expect(() => createVerifier({ secret: 'short' })).toThrow('it needs 32')
    await expect(signToken({ secret: 'short', ...claims })).rejects.toThrow('it needs 32')
  })

  test('is bound to issuer and audience where they are given', async () => {
    const strict = createVerifier({ secret, issuer: 'us', audience: 'posthorn' })
    const token = await good({ iss: 'us', aud: ['posthorn', 'x'] })
    expect(await strict(token)).toMatchObject(claims)
    for (const other of [
      { iss: 'them', aud: 'posthorn' },
      { iss: 'us', aud: 'another-api' },
      { iss: 'us', aud: ['another-api'] },
      { iss: 'us' },
      { aud: 'posthorn' },
    ]) {
      const foreign = await good(other)
      await expect(async () => strict(foreign)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' })
    }
  })
})

describe('a token by published keys', async () => {
  const pair = await generateKeyPair('ES256', { extractable: true })
  const jwk = { ...(await exportJWK(pair.publicKey)), kid: 'one', alg: 'ES256' }
  let status = 200
  const server = createServer((_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ keys: [jwk] }))
  })
  let jwksUrl: string
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    jwksUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`
  })
  afterAll(() => void server.close())
  const sign = (payload: Record<string, unknown> = claims) =>
    new SignJWT(payload)
      .setProtectedHeader({ alg: 'ES256', kid: 'one' })
      .setExpirationTime('1m')
      .sign(pair.privateKey)

  test('is taken', async () => {
    expect(await createVerifier({ jwksUrl })(await sign())).toMatchObject(claims)
  })

  const verifyWith = async (payload: Record<string, unknown>, names: ClaimNames) =>
    createVerifier({ jwksUrl, claims: names })(await sign({ sub: 'ada', ...payload }))

  test.each<[Record<string, unknown>, ClaimNames, { org: string; role: string }]>([
    [{ tenant: 'acme' }, { org: 'tenant' }, { org: 'acme', role: 'member' }],
    [
      { tenant: { name: 'acme' }, role: 'operator' },
      { org: 'tenant.name' },
      { org: 'acme', role: 'operator' },
    ],
    [
      { 'https://x.test/org': 'acme', realm_access: { roles: ['a', 'ops'] } },
      { org: 'https://x.test/org', role: 'realm_access.roles', roles: { operator: 'ops' } },
      { org: 'acme', role: 'operator' },
    ],
    [
      { org: 'acme', groups: 'staff ops' },
      { role: 'groups', roles: { operator: 'ops', platform: 'root', viewer: 'look' } },
      { org: 'acme', role: 'operator' },
    ],
    [
      { org: 'acme', groups: ['staff'] },
      { role: 'groups', roles: { operator: 'ops', platform: 'root', viewer: 'look' } },
      { org: 'acme', role: 'member' },
    ],
    [
      { org: 'acme', groups: 7 },
      { role: 'groups', roles: { operator: 'ops', platform: 'root', viewer: 'look' } },
      { org: 'acme', role: 'member' },
    ],
    [
      { org: 'acme', role: 'operator' },
      { roles: { operator: 'ops' } },
      { org: 'acme', role: 'member' },
    ],
    [
      { org: 'acme', groups: ['look', 'root', 'ops'] },
      { role: 'groups', roles: { operator: 'ops', platform: 'root', viewer: 'look' } },
      { org: 'acme', role: 'platform' },
    ],
    [{ org: 'acme', role: 'approver' }, {}, { org: 'acme', role: 'approver' }],
  ])('that says %j is read by %j', async (payload, names, caller) => {
    expect(await verifyWith(payload, names)).toMatchObject(caller)
  })

  test.each<[Record<string, unknown>, ClaimNames]>([
    [{ org: 'acme' }, { org: 'tenant' }],
    [{ tenant: { name: 'acme' } }, { org: 'tenant' }],
    [{ tenant: ['acme'] }, { org: 'tenant' }],
    [{}, { org: 'constructor.name' }],
    [{ org: 'acme', groups: ['ops'] }, { role: 'groups' }],
  ])('that says %j is refused by %j', async (payload, names) => {
    await expect(verifyWith(payload, names)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' })
  })

  test('is not taken if the public key was used as a secret', async () => {
    const pem = await exportSPKI(pair.publicKey)
    const parts = [
      { alg: 'HS256', kid: 'one' },
      { ...claims, exp: seconds() + 60 },
    ]
    const head = parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    const mac = createHmac('sha256', pem).update(head.join('.')).digest('base64url')
    const verify = createVerifier({ jwksUrl })
    await expect(async () => verify([...head, mac].join('.'))).rejects.toMatchObject({
      code: 'UNAUTHENTICATED',
    })
  })

  test('is not called bad when the keys cannot be had', async () => {
    status = 500
    const token = await sign()
    const verify = createVerifier({ jwksUrl })
    await expect(async () => verify(token)).rejects.toMatchObject({
      code: 'KEYS_UNAVAILABLE',
      status: 503,
    })
    status = 200
    expect(await verify(token)).toMatchObject(claims)
  })
})

describe('the cache', () => {
  const caller = (expiresAt: number) => ({ ...claims, role: 'member' as const, expiresAt })

  test('forgets after a minute, and at once what has expired', () => {
    let now = 0
    const cache = createTokenCache(() => now)
    cache.set('long', caller(1e9))
    cache.set('short', caller(1_000))
    now = 999
    expect([cache.get('long'), cache.get('short')]).toEqual([caller(1e9), caller(1_000)])
    now = 1_000
    expect(cache.get('short')).toBeUndefined()
    now = 60_000
    expect(cache.get('long')).toBeUndefined()
  })

  test('stays small', () => {
    const cache = createTokenCache(() => 0)
    for (let i = 0; i <= 5_000; i += 1) cache.set(`t${i}`, caller(1e9))
    expect(cache.get('t0')).toBeUndefined()
    expect(cache.get('t1')).toBeDefined()
    cache.set('x'.repeat(3_000), caller(1e9))
    expect(cache.get('x'.repeat(3_000))).toBeUndefined()
  })
})
