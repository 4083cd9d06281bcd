import { DefinitionError, PosthornError } from '@posthorn/engine'
import { describe, expect, test } from 'vitest'
import { bearer, sampleApp, tokenOf } from './testing/sample-app.ts'
import type { Answered } from './server/request-log.ts'

const UUID = '0190a8c0-0000-7000-8000-000000000001'

describe('access', () => {
  const routes = [
    ['GET', '/open', 'public'],
    ['GET', '/me', 'read'],
    ['GET', '/ops', 'operate'],
    ['GET', '/things', 'read'],
    ['GET', `/things/${UUID}`, 'read'],
    ['POST', '/things', 'write'],
    ['HEAD', '/me', 'read'],
    ['HEAD', '/ops', 'operate'],
    ['GET', '/openapi.json', 'public'],
    ['GET', '/docs/api', 'public'],
    ['GET', '/docs/api/static/swagger-ui-bundle.js', 'public'],
    ['GET', '/nowhere', 'public'],
  ] as const
  const tokens = {
    none: async () => ({}),
    rubbish: async () => ({ authorization: 'Bearer rubbish' }),
    basic: async () => ({ authorization: 'Basic YTpi' }),
    empty: async () => ({ authorization: 'Bearer ' }),
    member: () => bearer(),
    viewer: () => bearer({ role: 'viewer' }),
    operator: () => bearer({ role: 'operator' }),
  }
  const refusal = (access: string, token: string): number | undefined => {
    if (access === 'public') return undefined
    if (!['viewer', 'member', 'operator'].includes(token)) return 401
    if (access === 'operate') return token === 'operator' ? undefined : 403
    return access === 'write' && token === 'viewer' ? 403 : undefined
  }
  const table = routes.flatMap(([method, url, access]) =>
    Object.keys(tokens).map((token) => ({ method, url, access, token })),
  )

  test.each(table)('$method $url with token $token', async ({ method, url, access, token }) => {
    const app = await sampleApp()
    const headers = await tokens[token as keyof typeof tokens]()
    const response = await app.inject({ method, url, headers })
    const refused = [401, 403].includes(response.statusCode) ? response.statusCode : undefined
    expect(refused).toBe(refusal(access, token))
    if (refused === 401) expect(response.headers['www-authenticate']).toMatch(/^Bearer realm=/)
  })

  test('the caller is who the token says', async () => {
    const app = await sampleApp()
    const { authorization } = await bearer({ sub: 'bob', org: 'émile', role: 'operator' })
    const response = await app.inject({
      url: '/me',
      headers: { authorization: authorization.replace('Bearer', 'bearer') },
    })
    expect(response.json()).toMatchObject({ sub: 'bob', org: 'émile', role: 'operator' })
  })

  test.each([
    ['acme', 200, undefined],
    ['other', 403, 'ORG_MISMATCH'],
    ['', 403, 'ORG_MISMATCH'],
    ['acme, acme', 403, 'ORG_MISMATCH'],
  ])('X-Org-Id %j gives %i', async (org, status, code) => {
    const app = await sampleApp()
    const headers = { ...(await bearer()), 'x-org-id': org }
    const response = await app.inject({ url: '/me', headers })
    expect(response.statusCode).toBe(status)
    expect(response.json().code).toBe(code)
  })

  test('X-Org-Id means nothing where no token is needed', async () => {
    const app = await sampleApp()
    const response = await app.inject({ url: '/open', headers: { 'x-org-id': 'anything' } })
    expect(response.statusCode).toBe(200)
  })

  test('X-Org-Id may be written in UTF-8', async () => {
    const app = await sampleApp()
    const org = 'Zürich 東京'
    const headers = {
      ...(await bearer({ org })),
      'x-org-id': Buffer.from(org).toString('latin1'),
    }
    expect((await app.inject({ url: '/me', headers })).statusCode).toBe(200)
  })

  test('every route of the app that says nothing needs a token', async () => {
    const app = await sampleApp()
    app.post('/forgotten', () => 'secret')
    expect((await app.inject({ method: 'POST', url: '/forgotten' })).statusCode).toBe(401)
  })
})

describe('problems', () => {
  test('a thrown one is answered as it is', async () => {
    const app = await sampleApp()
    const response = await app.inject({ url: '/refused', headers: await bearer() })
    expect(response.statusCode).toBe(422)
    expect(response.headers['content-type']).toMatch(/^application\/problem\+json/)
    expect(response.headers['retry-after']).toBe('2')
    expect(response.headers['cache-control']).toBe('no-store')
    expect(response.json()).toEqual({
      type: 'urn:posthorn:problem:out-of-stock',
      title: 'Nothing is left',
      status: 422,
      code: 'OUT_OF_STOCK',
      detail: 'Sku 7 is gone.',
      sku: 7,
    })
  })

  test('an unexpected error is logged and its answer has no details', async () => {
    const lines: string[] = []
    const log = { level: 'info', stream: { write: (line: string) => void lines.push(line) } }
    const app = await sampleApp({ log })
    const response = await app.inject({ url: '/broken', headers: await bearer() })
    expect(response.statusCode).toBe(500)
    expect(response.json().code).toBe('INTERNAL')
    expect(response.body).not.toContain('hunter2')
    expect(lines.join('')).toContain('hunter2')
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      reqId: response.headers['x-request-id'],
      code: 'INTERNAL',
    })
  })

  const sql = (code: string) => Object.assign(new Error('key (secret)=(1)'), { code })
  test.each([
    [sql('57P01'), 503, 'DATABASE_UNAVAILABLE', true],
    [sql('08006'), 503, 'DATABASE_UNAVAILABLE', true],
    [sql('53300'), 503, 'DATABASE_UNAVAILABLE', true],
    [sql('40001'), 503, 'DATABASE_UNAVAILABLE', true],
    [sql('ECONNREFUSED'), 503, 'DATABASE_UNAVAILABLE', true],
    [new Error('timeout exceeded when trying to connect'), 503, 'DATABASE_UNAVAILABLE', true],
    [sql('23505'), 500, 'INTERNAL', true],
    [Object.assign(new Error('not found'), { statusCode: 404 }), 500, 'INTERNAL', false],
    [new PosthornError('CURSOR_INVALID'), 400, 'CURSOR_INVALID', false],
    [new PosthornError('IDEMPOTENCY_LOCK_LOST'), 409, 'IDEMPOTENCY_KEY_IN_FLIGHT', true],
    [new DefinitionError('a.b', 'filter.code', 'no column'), 400, 'VALIDATION_FAILED', false],
    [new DefinitionError('a.b', 'table', 'wrong'), 500, 'INTERNAL', false],
  ])('%s is %i %s', async (error, status, code, retry) => {
    const app = await sampleApp()
    app.get('/thrown', () => Promise.reject(error))
    const response = await app.inject({ url: '/thrown', headers: await bearer() })
    expect(response.statusCode).toBe(status)
    expect(response.json().code).toBe(code)
    expect(response.body).not.toContain('secret')
    expect(response.headers['retry-after'] !== undefined).toBe(retry)
  })

  test('an address that is not there is 404, one without the method 405', async () => {
    const app = await sampleApp()
    const missing = await app.inject({ url: '/api/v1/nothing' })
    expect([missing.statusCode, missing.json().code]).toEqual([404, 'NOT_FOUND'])
    const wrong = await app.inject({ method: 'DELETE', url: `/things/${UUID}?x=1` })
    expect([wrong.statusCode, wrong.json().code]).toEqual([405, 'METHOD_NOT_ALLOWED'])
    expect(wrong.headers.allow).toBe('GET, HEAD')
    const options = await app.inject({ method: 'OPTIONS', url: '/things' })
    expect([options.statusCode, options.headers.allow]).toEqual([405, 'GET, HEAD, POST'])
  })

  test('a method that an address does not have is 405 where one with a parameter has it', async () => {
    const app = await sampleApp()
    app.post('/things/search', async () => 'found')
    const headers = await bearer()
    const wrong = await app.inject({ method: 'GET', url: '/things/search?a=1', headers })
    expect([wrong.statusCode, wrong.headers.allow]).toEqual([405, 'POST'])
    expect((await app.inject({ method: 'GET', url: '/things/search' })).statusCode).toBe(401)
    const right = await app.inject({ method: 'POST', url: '/things/search', headers })
    expect(right.statusCode).toBe(200)
    const thing = await app.inject({ method: 'GET', url: `/things/${UUID}`, headers })
    expect(thing.statusCode).toBe(200)
  })

  test('a page for every address does not turn 404 into 405', async () => {
    const app = await sampleApp()
    app.get('/*', { config: { access: 'public' } }, () => 'page')
    expect((await app.inject({ method: 'POST', url: '/nothing' })).statusCode).toBe(404)
  })

  test.each(['/a%zz', '/things/%E0%A4%A'])('the address %s is 400', async (url) => {
    const app = await sampleApp()
    const response = await app.inject({ url, headers: await bearer() })
    expect([response.statusCode, response.json().code]).toEqual([400, 'BAD_REQUEST'])
  })

  test('HEAD answers like GET, without a body', async () => {
    const app = await sampleApp()
    const response = await app.inject({ method: 'HEAD', url: '/me', headers: await bearer() })
    expect([response.statusCode, response.body]).toEqual([200, ''])
  })
})

describe('headers', () => {
  test('pages may load from here only; data shows nothing', async () => {
    const app = await sampleApp({ production: true })
    const page = await app.inject({ url: '/docs/api' })
    const data = await app.inject({ url: '/me', headers: await bearer() })
    expect(page.headers).toMatchObject({
      'content-security-policy': expect.stringContaining("default-src 'self'"),
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
    })
    expect(data.headers).toMatchObject({
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'cache-control': 'no-store',
    })
    for (const { headers } of [page, data]) {
      expect(headers['x-content-type-options']).toBe('nosniff')
      expect(headers['strict-transport-security']).toContain('max-age=')
      expect(headers['x-powered-by']).toBeUndefined()
      expect(headers['access-control-allow-origin']).toBeUndefined()
    }
  })

  test('errors carry them too, and development does not insist on https', async () => {
    const app = await sampleApp()
    const { headers } = await app.inject({
      url: '/me',
      headers: { origin: 'https://evil.example' },
    })
    expect(headers['x-content-type-options']).toBe('nosniff')
    expect(headers['strict-transport-security']).toBeUndefined()
    expect(headers['access-control-allow-origin']).toBeUndefined()
  })

  test.each([
    ['abc-123_x.y', true],
    ['a'.repeat(129), false],
    ['with space', false],
    ['a"b', false],
    ['', false],
  ])('the request id %j is taken over: %s', async (id, isTaken) => {
    const app = await sampleApp()
    const { headers } = await app.inject({ url: '/open', headers: { 'x-request-id': id } })
    if (isTaken) expect(headers['x-request-id']).toBe(id)
    else expect(headers['x-request-id']).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/)
  })
})

describe('rate limit', () => {
  const limitedApp = () =>
    sampleApp({ rateLimit: { max: 3, windowMs: 60_000 }, orgRateLimit: false })

  test('counts each user, and says when to come back', async () => {
    const app = await limitedApp()
    const statuses = async (caller: Parameters<typeof bearer>[0]) => {
      const headers = await bearer(caller)
      const responses = []
      for (let i = 0; i < 16; i += 1) responses.push(await app.inject({ url: '/me', headers }))
      return responses
    }
    const ada = await statuses({ sub: 'ada' })
    // Reads have five times the allowance, so that ten windows of one person stay within it.
    expect(ada.map(({ statusCode }) => statusCode)).toEqual([...Array(15).fill(200), 429])
    expect(ada[15]?.json().code).toBe('RATE_LIMITED')
    expect(Number(ada[15]?.headers['retry-after'])).toBeGreaterThan(0)
    expect(Number(ada[15]?.headers['retry-after'])).toBeLessThanOrEqual(60)
    const bob = await statuses({ sub: 'bob' })
    expect(bob[14]?.statusCode).toBe(200)
    const other = await statuses({ sub: 'ada', org: 'other' })
    expect(other[14]?.statusCode).toBe(200)
  })

  test('of writes is not used up by reads, nor the other way round', async () => {
    const app = await limitedApp()
    const headers = await bearer({ sub: 'ada' })
    for (let i = 0; i < 16; i += 1) await app.inject({ url: '/me', headers })
    const write = async () =>
      (await app.inject({ method: 'POST', url: '/things', headers, payload: {} })).statusCode
    const written = [await write(), await write(), await write(), await write()]
    expect(written.slice(0, 3)).not.toContain(429)
    expect(written[3]).toBe(429)
  })

  test('counts all users of an organisation together, and no other with them', async () => {
    const app = await sampleApp({ rateLimit: { max: 2, windowMs: 60_000 } })
    const ask = async (method: 'GET' | 'POST', caller: Parameters<typeof bearer>[0]) => {
      const headers = await bearer(caller)
      const answer = await app.inject({
        method,
        url: method === 'GET' ? '/me' : '/things',
        headers,
      })
      return answer.statusCode === 429 ? (answer.json().detail as string) : 'taken'
    }
    // Ten times as much as one of them, and reads apart.
    for (const [method, most] of [['GET', 100] as const, ['POST', 20] as const]) {
      for (let user = 0; user < most; user += 1) {
        expect(await ask(method, { sub: `user ${user}`, org: 'many' })).toBe('taken')
      }
      const refused = `At most ${most} requests of an organisation in 60 s.`
      // Also for tokens that were never seen, and again: none of it is counted as a stranger's.
      for (let more = 0; more < 4; more += 1) {
        expect(await ask(method, { sub: `one more ${more}`, org: 'many' })).toBe(refused)
      }
      expect(await ask(method, { sub: 'one more', org: 'other' })).toBe('taken')
    }
  })

  test('counts anonymous callers by network, on every route', async () => {
    const app = await limitedApp()
    const from = (remoteAddress: string, authorization?: string) =>
      app.inject({
        url: '/me',
        remoteAddress,
        headers: authorization === undefined ? {} : { authorization },
      })
    const first = [
      await from('2001:db8::1'),
      await from('2001:db8::2', 'Bearer rubbish'),
      await from('2001:db8::3', 'Bearer other.rubbish'),
      await from('2001:db8::4'),
    ]
    expect(first.map(({ statusCode }) => statusCode)).toEqual([401, 401, 401, 429])
    expect((await from('2001:db8:0:1::1')).statusCode).toBe(401)
    // A caller with a good token is not locked out by others of its network.
    expect((await from('2001:db8::5', `Bearer ${await tokenOf()}`)).statusCode).toBe(200)
  })

  test('of those who sign only the refused are counted, and then refused unread', async () => {
    const app = await limitedApp()
    const send = async (signature: string) => {
      const headers = { 'content-type': 'application/json', 'x-signature': signature }
      const request = { method: 'POST', url: '/verified', headers, payload: '{}' } as const
      return (await app.inject(request)).statusCode
    }
    const good = [await send('2'), await send('2'), await send('2'), await send('2')]
    expect(good).toEqual([200, 200, 200, 200])
    const forged = [await send('x'), await send('x'), await send('x'), await send('x')]
    expect(forged).toEqual([401, 401, 401, 429])
    // An allowance of its own: other routes of this network are as they were.
    expect((await app.inject({ url: '/open' })).statusCode).toBe(200)
  })

  test('an address that a stranger claims to have is not believed', async () => {
    const app = await limitedApp()
    const statuses = []
    for (let i = 0; i < 4; i += 1) {
      const headers = { 'x-forwarded-for': `10.0.0.${i}` }
      statuses.push((await app.inject({ url: '/open', headers })).statusCode)
    }
    expect(statuses).toEqual([200, 200, 200, 429])
  })

  test.each([[1], [['127.0.0.1']]])(
    'behind %j a client’s own claims about its address do not count',
    async (trustProxy) => {
      const app = await sampleApp({ rateLimit: { max: 3, windowMs: 60_000 }, trustProxy })
      const from = async (claimed: string, client: string) => {
        // The proxy adds the address that it sees behind what the client has written.
        const headers = { 'x-forwarded-for': `${claimed}, ${client}` }
        return (await app.inject({ url: '/open', headers })).statusCode
      }
      const statuses = []
      for (let i = 0; i < 4; i += 1) statuses.push(await from(`10.0.0.${i}`, '203.0.113.7'))
      expect(statuses).toEqual([200, 200, 200, 429])
      expect(await from('10.0.0.1', '203.0.113.8')).toBe(200)
    },
  )
})

describe('logs and metrics', () => {
  const logLines = async (level: string) => {
    const lines: Record<string, unknown>[] = []
    const write = (line: string) => void lines.push(JSON.parse(line))
    const app = await sampleApp({ log: { level, stream: { write } } })
    return { app, lines }
  }

  test('a good request is worth a line at debug only', async () => {
    const quiet = await logLines('info')
    await quiet.app.inject({ url: '/me?token=hunter2', headers: await bearer() })
    expect(quiet.lines).toEqual([])
    const loud = await logLines('debug')
    const headers = { ...(await bearer()), 'x-request-id': 'r-1' }
    await loud.app.inject({ url: '/me?token=hunter2', headers })
    expect(loud.lines).toMatchObject([
      { reqId: 'r-1', route: '/me', method: 'GET', status: 200, org: 'acme' },
    ])
    expect(JSON.stringify(loud.lines)).not.toContain('hunter2')
  })

  test('a failed one is worth a line, and secrets are none', async () => {
    const { app, lines } = await logLines('info')
    app.get('/log', (request) => {
      const { headers } = request
      request.log.warn({ headers, token: 'hunter2', body: { secret: 'hunter2' } }, 'look')
      return 'done'
    })
    const headers = { ...(await bearer()), cookie: 'hunter2' }
    await app.inject({ url: '/log', headers })
    await app.inject({ url: '/broken', headers })
    expect(lines.map(({ msg }) => msg)).toEqual(['look', expect.anything(), 'answered'])
    expect(JSON.stringify(lines[0])).not.toContain('hunter2')
    expect(JSON.stringify(lines[0])).not.toContain('Bearer')
  })

  test('metrics that throw break nothing', async () => {
    const onResponse = () => {
      throw new Error('no such metric')
    }
    const app = await sampleApp({ onResponse })
    expect((await app.inject({ url: '/open' })).statusCode).toBe(200)
    expect((await app.inject({ url: '/open' })).statusCode).toBe(200)
  })

  test.each([['a string'], [undefined], [{ status: 404, code: 'x' }]])(
    'something thrown that is no error (%o) is INTERNAL',
    async (thrown) => {
      const app = await sampleApp()
      app.get('/thrown', async () => {
        // oxlint-disable-next-line typescript/only-throw-error
        throw thrown
      })
      const response = await app.inject({ url: '/thrown', headers: await bearer() })
      expect([response.statusCode, response.json().code]).toEqual([500, 'INTERNAL'])
    },
  )

  test('each answer is reported with its route', async () => {
    const answers: Answered[] = []
    const app = await sampleApp({ onResponse: (answer) => void answers.push(answer) })
    await app.inject({ url: `/things/${UUID}`, headers: await bearer() })
    await app.inject({ url: '/nowhere' })
    await app.inject({ url: '/me' })
    expect(answers).toMatchObject([
      { route: '/things/:id', method: 'GET', status: 200 },
      { route: undefined, status: 404 },
      { route: '/me', status: 401 },
    ])
    expect(answers.every(({ ms }) => ms > 0)).toBe(true)
  })
})
