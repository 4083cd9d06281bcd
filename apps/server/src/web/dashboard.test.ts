import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { createApp, createVerifier, type App, type AppOptions } from '@posthorn/http'
import { describe, expect, onTestFinished, test } from 'vitest'
import { dashboardRoutes, type DashboardOptions } from './dashboard.ts'

const SCRIPT = 'console.log("hello")\n'.repeat(200)
type RateLimit = NonNullable<AppOptions['rateLimit']>
const DEVELOPMENT = { production: false, oidc: undefined, portalAncestors: [] }

const PAGE =
  '<head><meta name="style-nonce" content="__STYLE_NONCE__">' +
  '<meta name="settings" content="__SETTINGS__"></head>'

function settingsIn({ body }: { readonly body: string }): unknown {
  const text = /name="settings" content="([^"]*)"/.exec(body)?.[1] ?? ''
  return JSON.parse(text.replaceAll('&quot;', '"').replaceAll('&amp;', '&'))
}

async function buildFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'posthorn-dashboard-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await mkdir(join(folder, 'assets'))
  await Promise.all([
    writeFile(join(folder, 'index.html'), PAGE),
    writeFile(join(folder, 'portal.html'), '<meta name="style-nonce" content="__STYLE_NONCE__">'),
    writeFile(join(folder, 'pages.json'), '{"outboxes":["outboxes-a1B2_-c3.js"]}'),
    writeFile(join(folder, 'assets', 'index-a1B2_-c3.js'), SCRIPT),
    writeFile(join(folder, 'assets', 'index-a1B2_-c3.js.gz'), gzipSync(SCRIPT)),
    writeFile(join(folder, 'assets', 'theme.js'), 'void 0'),
    writeFile(join(folder, 'secret.txt'), 'not for the world'),
  ])
  return folder
}

async function serveDashboard(
  options: Partial<DashboardOptions> = {},
  rateLimit?: RateLimit,
): Promise<App> {
  const app = await createApp({
    ...(rateLimit && { rateLimit }),
    title: 'Test',
    version: '0',
    production: false,
    verify: createVerifier({ secret: 'x'.repeat(32) }),
  })
  onTestFinished(() => app.close())
  app.get('/api/v1/things', async () => ({}))
  const folder = options.folder ?? (await buildFolder())
  await dashboardRoutes(app, { configuration: DEVELOPMENT, has: [], ...options, folder })
  return app
}

test('bad requests keep nobody of their network from the page to log in', async () => {
  const app = await serveDashboard({}, { max: 5, windowMs: 60_000 })
  const statusOf = async (url: string) => (await app.inject(url)).statusCode
  const bad = []
  for (let n = 0; n < 8; n += 1) bad.push(await statusOf(n % 2 ? '/api/v1/things' : '/no-page'))
  expect(bad.slice(5)).toEqual([429, 429, 429])
  for (const file of ['/', '/assets/index-a1B2_-c3.js', '/outboxes', '/outboxes', '/']) {
    expect(await statusOf(file)).toBe(200)
  }
  expect(await statusOf('/'), 'an allowance too, of its own').toBe(429)
})

describe('a built dashboard', () => {
  test.each(['/', '/outboxes', '/outboxes/', '/outboxes/example.greetings?tab=keys'])(
    'is at %s without a token, with a nonce that stands in its policy and is never the same',
    async (url) => {
      const app = await serveDashboard()
      const [one, other] = [await app.inject(url), await app.inject(url)]
      expect(one.statusCode).toBe(200)
      expect(one.headers['content-type']).toBe('text/html; charset=utf-8')
      expect(one.headers['cache-control']).toBe('no-store')
      const nonce = /content="([^"]{22,})"/.exec(one.body)?.[1]
      expect(nonce).toBeDefined()
      expect(one.headers['content-security-policy']).toContain(`'nonce-${nonce}'`)
      expect(other.body).not.toBe(one.body)
    },
  )

  test('lets named origins embed the portal, and nothing else of it', async () => {
    const configuration = { ...DEVELOPMENT, portalAncestors: ['https://shop.example'] }
    const open = await serveDashboard({ configuration })
    const { headers } = await open.inject('/portal')
    expect(headers['content-security-policy']).toContain('frame-ancestors https://shop.example;')
    expect(headers).not.toHaveProperty('x-frame-options')
    expect((await open.inject('/')).headers).toMatchObject({
      'content-security-policy': expect.stringContaining("frame-ancestors 'none'"),
      'x-frame-options': 'DENY',
    })
    const closed = await serveDashboard()
    expect((await closed.inject('/portal')).headers).toMatchObject({
      'content-security-policy': expect.stringContaining("frame-ancestors 'none'"),
      'x-frame-options': 'DENY',
    })
  })

  test('lets no script in but its own', async () => {
    const app = await serveDashboard()
    const { headers } = await app.inject('/')
    const policy = String(headers['content-security-policy'])
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self' 'nonce-")
    expect(policy).toContain("; connect-src 'self'; ")
    expect(policy).not.toContain('unsafe')
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    })
  })

  test.each(['/api/v1/nothing', '/sim/nothing', '/things', '/outboxes2', '/secret.txt'])(
    'is not at %s',
    async (url) => {
      const response = await (await serveDashboard()).inject(url)
      expect(response.statusCode).toBe(404)
      expect(response.headers['content-type']).toContain('application/problem+json')
    },
  )

  test('is a page at an unknown address, for people', async () => {
    const app = await serveDashboard()
    const headers = { accept: 'text/html,*/*' }
    const page = await app.inject({ url: '/no/such/page', headers })
    expect([page.statusCode, page.headers['content-type']]).toEqual([
      404,
      'text/html; charset=utf-8',
    ])
    const api = await app.inject({ url: '/api/v1/nothing', headers })
    expect(api.headers['content-type']).toContain('application/problem+json')
  })

  test('leaves the API closed', async () => {
    expect((await (await serveDashboard()).inject('/api/v1/things')).statusCode).toBe(401)
  })

  test.each([
    '/assets/../secret.txt',
    '/assets/..%2fsecret.txt',
    '/assets/%2e%2e/secret.txt',
    '/assets/.hidden',
    '/assets/',
    '/assets/gone-12345678.js',
  ])('gives nothing away at %s', async (url) => {
    const response = await (await serveDashboard()).inject(url)
    expect(response.statusCode).toBe(404)
    expect(response.body).not.toContain('not for the world')
  })

  test('keeps what has a hash in its name for ever, and asks about the rest', async () => {
    const app = await serveDashboard()
    const hashed = await app.inject('/assets/index-a1B2_-c3.js')
    expect(hashed.headers['cache-control']).toBe('public, max-age=31536000, immutable')
    expect(hashed.headers['content-type']).toMatch(/javascript/)
    const plain = await app.inject('/assets/theme.js')
    expect(plain.headers['cache-control']).toBe('no-cache')
    const { etag } = plain.headers
    expect(etag).toBeDefined()
    const again = await app.inject({
      url: '/assets/theme.js',
      headers: { 'if-none-match': String(etag) },
    })
    expect(again.statusCode).toBe(304)
  })

  test('sends what was compressed beforehand', async () => {
    const response = await (
      await serveDashboard()
    ).inject({ url: '/assets/index-a1B2_-c3.js', headers: { 'accept-encoding': 'gzip' } })
    expect(response.headers['content-encoding']).toBe('gzip')
    expect(response.rawPayload.length).toBeLessThan(SCRIPT.length / 10)
    expect(response.headers['vary']).toMatch(/accept-encoding/i)
  })

  test('says who logs people in, and lets the page talk to them', async () => {
    const oidc = {
      authority: 'https://login.example.test/realms/posthorn',
      clientId: 'dashboard',
      scope: 'openid',
    }
    const app = await serveDashboard({
      configuration: { ...DEVELOPMENT, production: true, oidc },
    })
    expect(settingsIn(await app.inject('/'))).toMatchObject({ production: true, oidc })
    const policy = (await app.inject('/')).headers['content-security-policy']
    expect(policy).toContain("connect-src 'self' https://login.example.test;")
  })
})

test('without a build / leads to the documentation', async () => {
  const app = await serveDashboard({ folder: join(tmpdir(), 'posthorn-nothing-here') })
  const response = await app.inject('/')
  expect([response.statusCode, response.headers.location]).toEqual([302, '/docs'])
})

test('a page carries what the server says of itself, and asks for its own scripts at once', async () => {
  const app = await serveDashboard({ has: ['a "quoted" & odd name'] })
  const page = await app.inject('/outboxes/one?tab=keys')
  expect(settingsIn(page)).toMatchObject({
    production: false,
    oidc: null,
    has: ['a "quoted" & odd name'],
    minorUnits: { EUR: 2, HUF: 2, IQD: 3, JPY: 0 },
  })
  expect(page.body).toContain('modulepreload" href="/assets/outboxes-a1B2_-c3.js"')
  expect((await app.inject('/')).body).not.toContain('modulepreload')
})
