import { testDatabase } from '@posthorn/engine/testing'
import { signToken } from '@posthorn/http'
import { SignJWT } from 'jose'
import { expect, test } from 'vitest'
import { loadSystems } from './systems.ts'
import { testServer } from './testing/test-server.ts'

const systems = await loadSystems({})
const server = await testServer(await testDatabase(), { systems })
const { body: description } = await server.call('/openapi.json')
const paths = description['paths'] as Record<string, Record<string, { security?: unknown[] }>>
const routes = Object.entries(paths).flatMap(([path, methods]) =>
  Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path })),
)

/** Who may call what. A route that is not listed here needs a member's token. */
const PUBLIC = /^\/(healthz|readyz|metrics|openapi\.json|docs|sim|graphiql|invitations)(\/|$)/
const SIGNED = /^\/api\/v1\/(webhooks\/|file-jobs\/s3-events$)/
const OPERATORS = /^\/api\/v1\/(outboxes|consumers|alerts|audit|overview|database|demo)(\/|$)/

const key = new TextEncoder().encode(server.secret)
const claims = { sub: 'ada', org: 'demo', role: 'operator' }
const soon = () => Math.floor(Date.now() / 1_000) + 600
const sign = (payload: Record<string, unknown>, alg = 'HS256') =>
  new SignJWT(payload).setProtectedHeader({ alg }).setExpirationTime(soon()).sign(key)
const unsignedToken = (payload: object) =>
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
  'another algorithm': () => sign(claims, 'HS512'),
  'an unsigned token': async () => unsignedToken({ ...claims, exp: soon() }),
  'no organisation': () => sign({ sub: 'ada' }),
  'an unknown role': () => sign({ ...claims, role: 'root' }),
}

/** A path that names nothing that exists. */
function fillPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    return name === 'name' && path.includes('outboxes')
      ? 'sagas.events'
      : '01890a5d-ac96-774b-bcce-b302099a8057'
  })
}

interface Call {
  readonly token?: string | undefined
  readonly headers?: Record<string, string>
}

async function call(route: { method: string; path: string }, { token, headers }: Call) {
  const response = await fetch(`${server.url}${fillPath(route.path)}`, {
    method: route.method,
    headers: { ...headers, ...(token !== undefined && { authorization: `Bearer ${token}` }) },
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

const member = await server.tokenFor({})
const operator = await server.tokenFor({ role: 'operator' })

test.each(signedRoutes)('no token replaces the signature at $method $path', async (route) => {
  for (const token of [undefined, member, operator]) {
    const { status, headers } = await call(route, { token })
    expect([401, 403]).toContain(status)
    expect(headers.get('content-type')).toContain('application/problem+json')
  }
})

const others = routes.filter(({ path }) => !SIGNED.test(path))

test.each(others)('$method $path lets in those who may call it', async (route) => {
  const isPublic = PUBLIC.test(route.path)
  const refusals = Object.entries(REFUSED).map(async ([name, make]) => {
    const { status, headers } = await call(route, { token: await make() })
    if (isPublic) return expect(status, name).not.toBe(401)
    expect(status, name).toBe(401)
    expect(headers.get('content-type'), name).toContain('application/problem+json')
    expect(headers.get('www-authenticate'), name).toMatch(/^Bearer/)
  })
  await Promise.all(refusals)

  const { status: ofMember } = await call(route, { token: member })
  if (OPERATORS.test(route.path)) expect(ofMember, 'a member').toBe(403)
  else expect([401, 403], 'a member').not.toContain(ofMember)

  const { status: ofOperator } = await call(route, { token: operator })
  expect([401, 403], 'an operator').not.toContain(ofOperator)
  expect(ofOperator, 'an operator').toBeLessThan(500)

  const ofAnother = { token: operator, headers: { 'x-org-id': 'other' } }
  const { status: elsewhere } = await call(route, ofAnother)
  if (isPublic) expect(elsewhere, "another tenant's X-Org-Id").not.toBe(403)
  else expect(elsewhere, "another tenant's X-Org-Id").toBe(403)
})
