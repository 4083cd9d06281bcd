import * as fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import type { App } from '../app.ts'
import { bearer, sampleApp } from '../testing/sample-app.ts'

const thing = { name: 'box', amount: 2 }
const post = async (app: App, payload: unknown, url = '/things') =>
  app.inject({
    method: url === '/things' ? 'POST' : 'PUT',
    url,
    headers: { ...(await bearer()), 'content-type': 'application/json' },
    payload: typeof payload === 'string' ? payload : JSON.stringify(payload),
  })
const fieldsOf = (response: { json(): { errors?: { field: string }[] } }) =>
  (response.json().errors ?? []).map(({ field }) => field).toSorted()

describe('a body', () => {
  test('of half a million numbers costs little before it is refused', async () => {
    const app = await sampleApp()
    const payload = `[${'0,'.repeat(500_000)}0]`
    // Of processor time, the best of some tries: a busy machine and the collector change the others.
    // It took 200 ms.
    let leastMs = Infinity
    for (let tries = 0; tries < 10 && leastMs > 100; tries += 1) {
      const before = process.cpuUsage()
      expect((await post(app, payload)).statusCode).toBe(400)
      const { user, system } = process.cpuUsage(before)
      leastMs = Math.min(leastMs, (user + system) / 1_000)
    }
    expect(leastMs).toBeLessThan(100)
  })

  test('is taken with its defaults filled in', async () => {
    const response = await post(await sampleApp(), thing)
    expect([response.statusCode, response.json()]).toEqual([201, { ...thing, times: 3 }])
  })

  test('has every wrong field named', async () => {
    const response = await post(await sampleApp(), {
      name: '',
      amount: '2',
      kind: 'huge',
      parts: [{ sku: 'a' }, { skew: 1 }, { sku: 7 }],
      surplus: true,
    })
    expect(response.json()).toMatchObject({ status: 400, code: 'VALIDATION_FAILED' })
    expect(response.json().errors).toEqual(
      expect.arrayContaining([
        { field: 'name', reason: expect.any(String) },
        { field: 'amount', reason: 'must be integer' },
        { field: 'kind', reason: 'must be one of small, large' },
        { field: 'parts.1.sku', reason: 'is required' },
        { field: 'parts.1.skew', reason: 'is not known here' },
        { field: 'parts.2.sku', reason: 'must be string' },
        { field: 'surplus', reason: 'is not known here' },
      ]),
    )
    expect(response.json().errors).toHaveLength(7)
  })

  test.each([
    ['missing fields', {}, ['amount', 'name']],
    ['text for a number', { ...thing, amount: '2' }, ['amount']],
    ['a fraction', { ...thing, amount: 2.5 }, ['amount']],
    ['null', null, ['body']],
    ['an array', [], ['body']],
    ['a string', '"text"', ['body']],
    ['nothing', '', ['body']],
    ['U+0000', { ...thing, name: 'a\0b' }, ['name']],
    ['U+0000 deep down', { ...thing, metadata: { a: [{ b: '\0' }] } }, ['metadata.a.0.b']],
    ['U+0000 in a name', { ...thing, metadata: { 'a\0': 1 } }, ['metadata']],
    ['half a character', '{"name":"\\ud800","amount":1}', ['name']],
    ['a number beyond all', '{"name":"a","amount":1,"metadata":{"x":1e999}}', ['metadata.x']],
  ])('with %s is 400', async (_what, payload, fields) => {
    const response = await post(await sampleApp(), payload)
    expect(response.statusCode).toBe(400)
    expect(response.json().code).toBe('VALIDATION_FAILED')
    expect(fieldsOf(response)).toEqual(fields)
  })

  test.each([
    '{"name":"a",',
    '{"__proto__":{"admin":true},"name":"a","amount":1}',
    '{"constructor":{"prototype":{"admin":true}},"name":"a","amount":1}',
    '{"name":"a","amount":1,"metadata":{"x":{"__proto__":1}}}',
    'nonsense',
    "{'name':1}",
    '{"name":"a\0","amount":1}',
    '\ufeff{"name":"a","amount":1}x',
  ])('that is no JSON we take: %j', async (payload) => {
    const response = await post(await sampleApp(), payload)
    expect([response.statusCode, response.json().code]).toEqual([400, 'MALFORMED_JSON'])
    expect(({} as Record<string, unknown>)['admin']).toBeUndefined()
  })

  test('that is no UTF-8 is refused', async () => {
    const app = await sampleApp()
    const response = await app.inject({
      method: 'POST',
      url: '/things',
      headers: { ...(await bearer()), 'content-type': 'application/json' },
      payload: Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]),
    })
    expect([response.statusCode, response.json().code]).toEqual([400, 'MALFORMED_JSON'])
  })

  test('nested without end is refused, not followed', async () => {
    const app = await sampleApp()
    for (const depth of [65, 5_000, 200_000]) {
      const response = await post(app, `${'['.repeat(depth)}${']'.repeat(depth)}`, '/anything')
      expect([response.statusCode, response.json().code]).toEqual([400, 'VALIDATION_FAILED'])
    }
    expect((await post(app, `${'['.repeat(64)}${']'.repeat(64)}`, '/anything')).statusCode).toBe(
      200,
    )
  })

  test('with a hundred thousand mistakes costs little', async () => {
    const app = await sampleApp()
    const parts = Array.from({ length: 100_000 }, () => 1)
    const start = performance.now()
    const response = await post(app, { ...thing, parts })
    expect(response.statusCode).toBe(400)
    expect(fieldsOf(response)).toEqual(['body'])
    expect(performance.now() - start).toBeLessThan(20_000)
    const some = await post(app, { ...thing, parts: parts.slice(0, 5_000) })
    expect(fieldsOf(some).length).toBeGreaterThan(10)
    expect(fieldsOf(some).length).toBeLessThanOrEqual(100)
  })

  test.each([
    ['text/plain', 415],
    ['application/xml', 415],
    ['application/x-www-form-urlencoded', 415],
    ['multipart/form-data; boundary=x', 415],
    ['application/json; charset=utf-8', 201],
    ['application/jsonx', 415],
  ])('of type %s is %i', async (type, status) => {
    const app = await sampleApp()
    const response = await app.inject({
      method: 'POST',
      url: '/things',
      headers: { ...(await bearer()), 'content-type': type },
      payload: JSON.stringify(thing),
    })
    expect(response.statusCode).toBe(status)
    if (status === 415) expect(response.json().code).toBe('UNSUPPORTED_MEDIA_TYPE')
  })

  test('too large is 413', async () => {
    const app = await sampleApp({ bodyLimit: 100 })
    const response = await post(app, { ...thing, name: 'x'.repeat(200) })
    expect([response.statusCode, response.json().code]).toEqual([413, 'PAYLOAD_TOO_LARGE'])
  })

  test('is kept byte for byte where a signature covers it', async () => {
    const app = await sampleApp()
    const payload = '{ "b":1,\n "a" : "\u00e9" }'
    const response = await app.inject({
      method: 'POST',
      url: '/signed',
      headers: { 'content-type': 'application/json' },
      payload,
    })
    expect(Buffer.from(response.json().bytes, 'hex').toString()).toBe(payload)
  })

  test('is parsed after its signature: one of 4 MiB by a stranger never is', async () => {
    const app = await sampleApp()
    const payload = `[${'0,'.repeat(2 * 1_048_576)}0]`
    const send = (signature: string) =>
      app.inject({
        method: 'POST',
        url: '/verified',
        headers: { 'content-type': 'application/json', 'x-signature': signature },
        payload,
      })
    const parse = vi.spyOn(JSON, 'parse')
    expect((await send('forged')).statusCode).toBe(401)
    expect(parse).not.toHaveBeenCalled()
    expect((await send(String(payload.length))).json().bytes).toBe(payload.length)
    expect(parse).toHaveBeenCalled()
    parse.mockRestore()
    const empty = await app.inject({ method: 'POST', url: '/verified' })
    expect(empty.statusCode).toBe(401)
    const signed = { method: 'POST', url: '/verified', headers: { 'x-signature': '0' } } as const
    expect((await app.inject(signed)).json()).toEqual({ bytes: 0, got: null })
  })
})

describe('a query', () => {
  const get = async (query: string) => {
    const app = await sampleApp()
    return app.inject({ url: `/things${query}`, headers: await bearer() })
  }

  test.each(['', '?limit=1', '?limit=200&status=NEW&cursor=abc'])('%j is taken', async (query) => {
    expect((await get(query)).statusCode).toBe(200)
  })

  test.each([
    ['?limit=0', 'limit'],
    ['?limit=201', 'limit'],
    ['?limit=1.5', 'limit'],
    ['?limit=true', 'limit'],
    ['?limit=0x10', 'limit'],
    ['?limit=', 'limit'],
    ['?limit=%205', 'limit'],
    ['?limit=1&limit=2', 'limit'],
    ['?limit[a]=1', 'limit[a]'],
    ['?status=a%00b', 'status'],
    ['?status=', 'status'],
    ['?lmit=5', 'lmit'],
    ['?__proto__=1', '__proto__'],
    [`?cursor=${'a'.repeat(1_025)}`, 'cursor'],
  ])('%j is refused for %s', async (query, field) => {
    const response = await get(query)
    expect(response.statusCode).toBe(400)
    expect(fieldsOf(response)).toEqual([field])
  })

  test('a path that is no id is 400', async () => {
    const app = await sampleApp()
    const headers = await bearer()
    for (const id of ['7', '%00', "1'--", 'a'.repeat(90)]) {
      const response = await app.inject({ url: `/things/${id}`, headers })
      expect([response.statusCode, fieldsOf(response)]).toEqual([400, ['id']])
    }
  })
})

describe('for arbitrary input', () => {
  test('a body never breaks anything', async () => {
    const app = await sampleApp()
    await fc.assert(
      fc.asyncProperty(fc.json({ maxDepth: 5 }), async (json) => {
        expect((await post(app, json)).statusCode).toBeLessThan(500)
        expect((await post(app, json, '/anything')).statusCode).toBeLessThan(500)
      }),
      { numRuns: 150 },
    )
  })

  test('nor does a form that is nearly right', async () => {
    const app = await sampleApp()
    const near = fc.record(
      {
        name: fc.anything(),
        amount: fc.anything(),
        kind: fc.anything(),
        parts: fc.array(fc.anything(), { maxLength: 3 }),
        metadata: fc.anything(),
      },
      { requiredKeys: [] },
    )
    await fc.assert(
      fc.asyncProperty(near, async (value) => {
        let text: string
        try {
          text = JSON.stringify(value)
        } catch {
          return
        }
        const response = await post(app, text)
        expect([201, 400]).toContain(response.statusCode)
      }),
      { numRuns: 150 },
    )
  })

  test('nor an address or a header', async () => {
    const app = await sampleApp()
    const headers = await bearer()
    await fc.assert(
      fc.asyncProperty(fc.webQueryParameters(), fc.webPath(), async (query, path) => {
        for (const url of [`/things?${query}`, `/things${path}`]) {
          expect((await app.inject({ url, headers })).statusCode).toBeLessThan(500)
        }
      }),
      { numRuns: 100 },
    )
  })
})
