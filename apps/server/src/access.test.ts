import { testDatabase } from '@posthorn/engine/testing'
import { signToken } from '@posthorn/http'
import { SignJWT } from 'jose'
import { describe, expect, test } from 'vitest'
import { installedSystems } from './systems.ts'
import { testServer } from './testing/test-server.ts'

const systems = await installedSystems({})
const server = await testServer(await testDatabase(), { systems })
const { body: description } = await server.call('/openapi.json')
const paths = description['paths'] as Record<string, Record<string, { security?: unknown[] }>>
const routes = Object.entries(paths).flatMap(([path, methods]) =>
  Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path })),
)

/** Who may call what. A route that is not listed here needs a member's token. */
const PUBLIC = /^\/(healthz|readyz|metrics|openapi\.json|docs|sim|graphiql|invitations)(\/|$)/
const SIGNED = /^\/api\/v1\/(webhooks\/|file-jobs\/s3-events$)/
const OPERATORS = /^\/api\/v1\/(outboxes|alerts|audit|overview|database|demo)(\/|$)/

const key = new TextEncoder().encode(server.secret)
const claims = { sub: 'ada', org: 'demo', role: 'operator' }
const soon = () => Math.floor(Date.now() / 1_000) + 600
const signed = (payload: Record<string, unknown>, alg = 'HS256') =>
  new SignJWT(payload).setProtectedHeader({ alg }).setExpirationTime(soon()).sign(key)
const unsigned = (payload: object) =>
  ['{"alg":"none"}', JSON.stringify(payload), '']
    .map((part) => Buffer.from(part).toString('base64url'))
    .join('.')

const REFUSED: Record<string, () => Promise<string | undefined>> = {
  'no token': async () => undefined,
  'a bad token': async () => 'not.a.token',
  "another's signature": () =>
    signToken({ ...claims, role: 'operator', secret: 'x'.repeat(40), expiresIn: '1h' }),
  'an expired token': () =>
    new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256' })
      .setExpirationTime(soon() - 1_200)
      .sign(key),
  'a token without an end': () =>
    new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(key),
  'another algorithm': () => signed(claims, 'HS512'),
  'an unsigned token': async () => unsigned({ ...claims, exp: soon() }),
  'no organisation': () => signed({ sub: 'ada' }),
  'an unknown role': () => signed({ ...claims, role: 'root' }),
}

/** A path that names nothing that exists. */
function filled(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    return name === 'name' && path.includes('outboxes')
      ? 'example.greetings'
      : '01890a5d-ac96-774b-bcce-b302099a8057'
  })
}

async function statusOf(route: { method: string; path: string }, token: string | undefined) {
  const url = `${server.url}${filled(route.path)}`
  const response = await fetch(url, {
    method: route.method,
    ...(token !== undefined && { headers: { authorization: `Bearer ${token}` } }),
    signal: AbortSignal.timeout(5_000),
  })
  await response.body?.cancel()
  return response
}

test('the table knows every route', () => {
  expect(routes.length).toBeGreaterThan(15)
  for (const path of ['/api/v1/outboxes', '/api/v1/alerts', '/api/v1/audit', '/api/v1/stream']) {
    expect(routes.map((route) => route.path)).toContain(path)
  }
})

const signedRoutes = routes.filter(({ path }) => SIGNED.test(path))

test.each(signedRoutes)('no token replaces the signature at $method $path', async (route) => {
  const tokens = [undefined, await server.tokenFor({}), await server.tokenFor({ role: 'operator' })]
  for (const token of tokens) {
    const { status, headers } = await statusOf(route, token)
    expect([401, 403]).toContain(status)
    expect(headers.get('content-type')).toContain('application/problem+json')
  }
})

const others = routes.filter(({ path }) => !SIGNED.test(path))

describe.each(others)('$method $path', (route) => {
  const isPublic = PUBLIC.test(route.path)

  test.each(Object.entries(REFUSED))('refuses %s, unless it is public', async (_, make) => {
    const response = await statusOf(route, await make())
    if (isPublic) return expect(response.status).not.toBe(401)
    expect(response.status).toBe(401)
    expect(response.headers.get('content-type')).toContain('application/problem+json')
    expect(response.headers.get('www-authenticate')).toMatch(/^Bearer/)
  })

  test('lets a member in only where it is not for operators', async () => {
    const { status } = await statusOf(route, await server.tokenFor({}))
    if (OPERATORS.test(route.path)) expect(status).toBe(403)
    else expect([401, 403]).not.toContain(status)
  })

  test('lets an operator in', async () => {
    const { status } = await statusOf(route, await server.tokenFor({ role: 'operator' }))
    expect([401, 403]).not.toContain(status)
    expect(status).toBeLessThan(500)
  })

  test('does not let X-Org-Id name another tenant', async () => {
    const token = await server.tokenFor({ role: 'operator' })
    const headers = { authorization: `Bearer ${token}`, 'x-org-id': 'other' }
    const response = await fetch(`${server.url}${filled(route.path)}`, {
      method: route.method,
      headers,
      signal: AbortSignal.timeout(5_000),
    })
    await response.body?.cancel()
    if (isPublic) expect(response.status).not.toBe(403)
    else expect(response.status).toBe(403)
  })
})
