import { testDatabase } from '@posthorn/engine/testing'
import { signToken, type Role } from '@posthorn/http'
import { SignJWT } from 'jose'
import { expect, test } from 'vitest'
import { loadSystems } from './systems.ts'
import { testServer } from './testing/test-server.ts'

const systems = await loadSystems({})
const server = await testServer(await testDatabase(), { systems })
const { body: description } = await server.call('/openapi.json')
const paths = description['paths'] as Record<string, Record<string, { responses: object }>>
const routes = Object.entries(paths).flatMap(([path, methods]) =>
  Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path })),
)

/** Who may call what. A route that is not listed here reads by GET and writes otherwise. */
const PUBLIC = /^\/(healthz|readyz|metrics|openapi\.json|docs|sim|graphiql|invitations)(\/|$)/
const SIGNED = /^\/api\/v1\/(webhooks\/|file-jobs\/s3-events$)/
const OPERATORS =
  /^GET \/api\/v1\/(outboxes|messages|alerts|incidents|notice-channels|consumers\/dead-letters)(\/|$)/
const OPERATORS_ACTS =
  /^(POST|DELETE) \/api\/v1\/(alerts\/|incidents\/|notice-channels(\/.*)?$|sagas\/|consumers\/dead-letters\/|outboxes\/\{name\}\/(messages\/.*\/(replay|cancel|reveal)|replays?(\/.*)?)$)/
const PLATFORM =
  /^\w+ \/api\/v1\/(overview|charts|database|demo|consumers$|outboxes\/\{name\}\/(graph|pause|resume|keys|recurring))(\/|$)/
const ADMINS =
  /^((POST|PATCH|DELETE) \/api\/v1\/(webhook-endpoints|webhook-deliveries|webhook-events|portal-tokens|outbound\/(accounts|templates))|PUT \/api\/v1\/outbound\/templates|PUT \/api\/v1\/approval-limits|\w+ \/api\/v1\/(retention|legal-holds|erasures))(\/|$)/
const APPROVERS = /^POST \/api\/v1\/approvals\/\{id\}\/(approve|reject)$/
/** GraphQL reads by POST too; its mutations are tested beside it. */
const READING = /^(GET|HEAD) |^POST \/(graphql$|api\/v1\/webhook-filters\/)/

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
function admitted(route: { method: string; path: string }): readonly Role[] {
  const name = `${route.method} ${route.path}`
  if (PLATFORM.test(name)) return ['platform']
  if (OPERATORS.test(name) || OPERATORS_ACTS.test(name)) return ['operator', 'platform']
  if (ADMINS.test(name)) return ['admin', 'operator', 'platform']
  if (APPROVERS.test(name)) return ['approver', 'admin', 'operator', 'platform']
  return READING.test(name) ? ROLES : ROLES.filter((role) => role !== 'viewer')
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

/** What the token of a portal reaches; a read-only one with GET alone. */
const PORTAL = /^\/api\/v1\/(me$|event-types|webhook-(endpoints|deliveries|filters)(\/|$))/

const portalToken = async (body: object, token?: string) => {
  const answer = await server.call('/api/v1/portal-tokens', { body, ...(token && { token }) })
  return answer as typeof answer & { body: { token: string; url: string } }
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

const portals = await Promise.all(
  [false, true].map(async (readOnly) => {
    const { body } = await portalToken({ readOnly })
    return [body.token, readOnly] as const
  }),
)

test('a portal belongs to the organisation of its token, for an hour at the most', async () => {
  const made = await portalToken({ user: 'shop-keeper', readOnly: true, expiresInSeconds: 60 })
  expect(made.status).toBe(201)
  expect(made.body.url).toBe(`${server.url}/portal#token=${made.body.token}`)
  const { body } = await server.call('/api/v1/me', { token: made.body.token })
  expect(body).toMatchObject({ sub: 'portal:shop-keeper', org: 'demo' })
  expect(Date.parse(String(body['expiresAt'])) - Date.now()).toBeLessThanOrEqual(60_000)
  expect((await portalToken({ expiresInSeconds: 3_601 })).status).toBe(400)
  const operator = await server.tokenFor({ role: 'operator' })
  expect((await portalToken({ org: 'other' }, operator)).status).toBe(403)
  // A token makes no other, and one that was changed is none.
  expect((await portalToken({}, portals[0]?.[0])).status).toBe(403)
  const changed = `${made.body.token.slice(0, -2)}AA`
  expect((await server.call('/api/v1/me', { token: changed })).status).toBe(401)
  const endpoint = { url: `${server.url}/sim/merchant/hooks`, eventTypes: ['*'] }
  const { body: own } = await server.call('/api/v1/webhook-endpoints', { body: endpoint })
  const path = `/api/v1/webhook-endpoints/${String(own['id'])}`
  expect((await server.call(path, { token: made.body.token })).status).toBe(200)
  const elsewhere = await portalToken({ org: 'other' }, platform)
  expect((await server.call(path, { token: elsewhere.body.token })).status).toBe(404)
})

const signedRoutes = routes.filter(({ path }) => SIGNED.test(path))

test.each(signedRoutes)('no token replaces the signature at $method $path', async (route) => {
  for (const token of [undefined, ...tokens.map(([, each]) => each)]) {
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
    const isReading = route.method === 'GET' || route.path.startsWith('/api/v1/webhook-filters')
    const isOpen = isPublic || (PORTAL.test(route.path) && (isReading || !readOnly))
    const { status } = await call(route, { token })
    if (isOpen) expect([401, 403], 'a portal').not.toContain(status)
    else expect(status, 'a portal').toBe(403)
  }

  const ofAnother = { token: platform, headers: { 'x-org-id': 'other' } }
  const { status: elsewhere } = await call(route, ofAnother)
  if (isPublic) expect(elsewhere, "another tenant's X-Org-Id").not.toBe(403)
  else expect(elsewhere, "another tenant's X-Org-Id").toBe(403)
})

test('every role searches the audit of its own organisation, and sees no payment of another', async () => {
  const clerk = await server.tokenFor({ sub: 'clara', org: 'audited', role: 'clerk' })
  const pay = async (once: string) => {
    const response = await fetch(`${server.url}/api/v1/payments`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${clerk}`,
        'content-type': 'application/json',
        'idempotency-key': once,
      },
      body: '{"amount":1000,"currency":"EUR"}',
    })
    return String(((await response.json()) as { id: unknown }).id)
  }
  const [first] = [await pay('one'), await pay('two')]
  const search = async (query: string, org = 'audited', role: Role = 'viewer') => {
    const token = await server.tokenFor({ org, role })
    return server.call(`/api/v1/audit/entries?${query}`, { token })
  }
  const found = await search(`entityType=payment&entityId=${first}&action=payment.created`)
  expect(found.body).toMatchObject({
    items: [{ audit: 'payments.audit_log', actor: 'clara', tenant: 'audited', entityId: first }],
    nextCursor: null,
  })
  // What is below a payment is there for its organisation, and for no role of another one.
  const below = routes.filter(({ method, path }) => {
    return method === 'GET' && /^\/api\/v1\/payments\/\{id\}(\/[a-z]+)?$/.test(path)
  })
  expect(below.length).toBeGreaterThan(3)
  for (const { path } of below) {
    const place = path.replace('{id}', first)
    expect(await server.call(place, { token: clerk }), path).toMatchObject({ status: 200 })
    for (const role of ROLES) {
      const token = await server.tokenFor({ org: 'other', role })
      expect(await server.call(place, { token }), `${role} ${path}`).toMatchObject({ status: 404 })
    }
  }
  const page = await search('actor=clara&action=payment.created&limit=1')
  const cursor = encodeURIComponent(String(page.body['nextCursor']))
  const next = await search(`actor=clara&action=payment.created&limit=1&cursor=${cursor}`)
  expect(next.body).toMatchObject({ items: [{ entityId: first }], nextCursor: null })
  const elsewhere = await search(`cursor=${cursor}`, 'other', 'operator')
  expect(JSON.stringify(elsewhere.body)).not.toContain('clara')
  expect(await search('tenant=audited', 'other')).toMatchObject({ status: 403 })
  const everything = await search(`entityId=${first}`, 'other', 'platform')
  expect((everything.body['items'] as unknown[]).length).toBeGreaterThan(0)
})
