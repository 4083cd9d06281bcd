import { testDatabase } from '@posthorn/engine/testing'
import { signToken, type Role } from '@posthorn/http'
import { loadSystems } from '@posthorn/server'
import { letterSystem, testServer, type ServerTests } from '@posthorn/server/testing'
import { createSealing, makePortalToken } from '@posthorn/system'
import { SignJWT } from 'jose'
import { expect, test } from 'vitest'
import { contributionsTo } from './contributions.ts'

type AccessTests = NonNullable<ServerTests['access']>

const KEY = 'k'.repeat(40)
const systems = [...(await loadSystems({})), letterSystem().system]
const env = { POSTHORN_ENCRYPTION_KEYS: KEY }
const server = await testServer(await testDatabase(), { systems, env })
const { body: description } = await server.call('/openapi.json')
const paths = description['paths'] as Record<string, Record<string, { responses: object }>>
const routes = Object.entries(paths).flatMap(([path, methods]) =>
  Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path })),
)

/** Who may call what of the server itself. A route that is not listed here reads by GET and writes otherwise. */
const RULES: readonly AccessTests[] = [
  ...(await contributionsTo('access')),
  {
    public:
      /^\w+ \/(healthz|readyz|metrics|openapi\.json|docs|sim)(\/|$)|^POST \/api\/v1\/session$/,
    operators:
      /^GET \/api\/v1\/(outboxes|messages|alerts|incidents|notice-channels|consumers\/dead-letters)(\/|$)/,
    admins: /^\w+ \/api\/v1\/(retention|legal-holds|erasures)(\/|$)/,
    reading: /^(GET|HEAD) |^DELETE \/api\/v1\/sessions?$/,
    portal: /^GET \/api\/v1\/me$/,
  },
  {
    operators:
      /^(POST|DELETE) \/api\/v1\/(alerts\/|incidents\/|notice-channels(\/.*)?$|consumers\/dead-letters\/|outboxes\/\{name\}\/(messages\/.*\/(replay|cancel|reveal)|replays?(\/.*)?)$)/,
  },
]
const PLATFORM =
  /^\w+ (\/asyncapi\.json$|\/api\/v1\/(overview|charts|database|demo|consumers$|outboxes\/\{name\}\/(graph|pause|resume|keys|recurring))(\/|$))/

interface Route {
  readonly method: string
  readonly path: string
}

const is = (kind: keyof AccessTests, { method, path }: Route) =>
  RULES.some((rules) => rules[kind]?.test(`${method} ${path}`) === true)

const ROLES: readonly Role[] = [
  'viewer',
  'clerk',
  'member',
  'approver',
  'admin',
  'operator',
  'platform',
]

/** The roles that a route lets in, written down here once more, by hand. */
function admitted(route: Route): readonly Role[] {
  if (PLATFORM.test(`${route.method} ${route.path}`)) return ['platform']
  if (is('operators', route)) return ['operator', 'platform']
  if (is('admins', route)) return ['admin', 'operator', 'platform']
  if (is('approvers', route)) return ['approver', 'admin', 'operator', 'platform']
  return is('reading', route) ? ROLES : ROLES.filter((role) => role !== 'viewer')
}

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
    signToken({ ...claims, role: 'platform', secret: 'x'.repeat(40), expiresIn: '1h' }),
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
      ? 'test.letters'
      : '01890a5d-ac96-774b-bcce-b302099a8057'
  })
}

interface Call {
  readonly token?: string | undefined
  readonly headers?: Record<string, string>
}

async function call(route: Route, { token, headers }: Call) {
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

test('every address says which methods it has', async () => {
  const token = await server.tokenFor({ role: 'platform' })
  const wrong: string[] = []
  for (const [path, described] of Object.entries(paths)) {
    const has = Object.keys(described).map((method) => method.toUpperCase())
    const others = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((name) => !has.includes(name))
    const answers = others.map(async (method) => {
      const { status, headers } = await call({ method, path }, { token })
      const allow = headers.get('allow')?.split(', ') ?? []
      if (status !== 405 || !has.every((name) => allow.includes(name))) {
        wrong.push(`${method} ${path}: ${status} ${allow.join()}`)
      }
    })
    await Promise.all(answers)
  }
  expect(wrong).toEqual([])
})

const tokens = await Promise.all(
  ROLES.map(async (role) => [role, await server.tokenFor({ role })] as const),
)
const platform = await server.tokenFor({ role: 'platform' })

const sealing = createSealing([KEY])
const portals = [false, true].map((readOnly) => {
  const portal = { sub: 'portal:shop', org: 'demo', readOnly, expiresAt: soon() * 1_000 }
  return [makePortalToken(sealing, portal), readOnly] as const
})

const signedRoutes = routes.filter((route) => is('signed', route))

test.each(signedRoutes)('no token replaces the signature at $method $path', async (route) => {
  for (const token of [undefined, ...tokens.map(([, each]) => each)]) {
    const { status, headers } = await call(route, { token })
    expect([401, 403]).toContain(status)
    expect(headers.get('content-type')).toContain('application/problem+json')
  }
})

const others = routes.filter((route) => !is('signed', route))

test.each(others)('$method $path lets in those who may call it', async (route) => {
  const isPublic = is('public', route)
  const refusals = Object.entries(REFUSED).map(async ([name, make]) => {
    const { status, headers } = await call(route, { token: await make() })
    if (isPublic) return expect(status, name).not.toBe(401)
    expect(status, name).toBe(401)
    expect(headers.get('content-type'), name).toContain('application/problem+json')
    expect(headers.get('www-authenticate'), name).toMatch(/^Bearer/)
  })
  await Promise.all(refusals)

  const letsIn = isPublic ? ROLES : admitted(route)
  for (const [role, token] of tokens) {
    const { status } = await call(route, { token })
    if (!letsIn.includes(role)) {
      expect(status, role).toBe(403)
      continue
    }
    expect([401, 403], role).not.toContain(status)
    expect(status, role).toBeLessThan(500)
    const described = Object.keys(paths[route.path]?.[route.method.toLowerCase()]?.responses ?? {})
    expect(described, role).toContain(status < 400 ? String(status) : '4XX')
  }

  for (const [token, readOnly] of portals) {
    const isOpen = isPublic || (is('portal', route) && (is('reading', route) || !readOnly))
    const { status } = await call(route, { token })
    if (isOpen) expect([401, 403], 'a portal').not.toContain(status)
    else expect(status, 'a portal').toBe(403)
  }

  const ofAnother = { token: platform, headers: { 'x-org-id': 'other' } }
  const { status: elsewhere } = await call(route, ofAnother)
  if (isPublic) expect(elsewhere, "another tenant's X-Org-Id").not.toBe(403)
  else expect(elsewhere, "another tenant's X-Org-Id").toBe(403)
})
