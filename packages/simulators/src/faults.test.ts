import { describe, expect, test } from 'vitest'
import { echo } from './testing/echo.ts'
import { serve, type TestServer } from './testing/test-server.ts'

const say = (server: TestServer, n: number, init?: RequestInit) =>
  server.post('/sim/echo/say', { n }, init)
const tell = (server: TestServer, fault: unknown) => server.post('/sim/echo/faults', fault)
const readSaid = async (server: TestServer) =>
  (await server.get<{ said: unknown[] }>('/sim/echo/said')).body.said
const outcomes = async (server: TestServer) =>
  (await server.requests()).map(({ outcome }) => outcome).toReversed()

describe('error', () => {
  test('answers instead of the work, in the words of the protocol', async () => {
    const server = await serve({ simulators: [echo()] })
    const fault = await tell(server, { mode: 'error', status: 503, code: 131047, times: 1 })
    expect(fault).toEqual({
      status: 200,
      body: { mode: 'error', status: 503, code: 131047, after: 0, times: 1, effect: false },
    })
    const response = await fetch(`${server.url}/sim/echo/say`, { method: 'POST', body: 'x' })
    expect(response.status).toBe(503)
    expect(response.headers.get('x-echo')).toBe('broken')
    expect(response.headers.get('content-type')).toContain('application/json')
    expect(await response.json()).toEqual({ error: { code: 131047 } })
    expect(await readSaid(server)).toEqual([])
    expect((await say(server, 2)).status).toBe(201)
    expect(await outcomes(server)).toEqual(['error', 'ok'])
    expect((await server.requests())[1]).toMatchObject({
      status: 503,
      fault: { mode: 'error', effect: false },
    })
  })

  test('answers after the work with effect', async () => {
    const server = await serve({ simulators: [echo()] })
    await tell(server, { mode: 'error', effect: true, times: 1 })
    const answer = await say(server, 1)
    expect(answer).toEqual({ status: 500, body: { error: { code: 'ECHO_BROKEN' } } })
    expect(await readSaid(server)).toEqual([{ n: 1 }])
    expect((await say(server, 2)).status).toBe(201)
  })

  test('comes before a body is judged', async () => {
    const server = await serve({ simulators: [echo()] })
    await tell(server, { mode: 'error', status: 502, times: 1 })
    expect((await server.post('/sim/echo/strict', 'no object')).status).toBe(502)
    expect((await server.post('/sim/echo/strict', 'no object')).status).toBe(400)
  })

  test('until it is cleared, by ok or by forgetting', async () => {
    const server = await serve({ simulators: [echo()] })
    const twice = async () => [(await say(server, 1)).status, (await say(server, 2)).status]
    await tell(server, { mode: 'error' })
    expect(await twice()).toEqual([500, 500])
    expect(await tell(server, { mode: 'ok' })).toEqual({ status: 200, body: { mode: 'ok' } })
    expect(await twice()).toEqual([201, 201])
    await tell(server, { mode: 'error' })
    await fetch(`${server.url}/sim/echo`, { method: 'DELETE' })
    expect(await twice()).toEqual([201, 201])
  })
})

describe('drop', () => {
  test.each([
    [false, []],
    [true, [{ n: 1 }]],
  ])('cuts the connection (effect: %s)', async (effect, expected) => {
    const server = await serve({ simulators: [echo()] })
    await tell(server, { mode: 'drop', times: 1, effect })
    await expect(say(server, 1)).rejects.toMatchObject({
      cause: { code: expect.stringMatching(/^(UND_ERR_SOCKET|ECONNRESET)$/) },
    })
    expect(await readSaid(server)).toEqual(expected)
    expect((await say(server, 2)).status).toBe(201)
    expect(await outcomes(server)).toEqual(['drop', 'ok'])
  })
})

describe('timeout', () => {
  test.each([
    [false, []],
    [true, [{ n: 1 }]],
  ])('never answers, until the client leaves (effect: %s)', async (effect, expected) => {
    const server = await serve({ simulators: [echo()] })
    await tell(server, { mode: 'timeout', times: 1, effect })
    const signal = AbortSignal.timeout(1_000)
    await expect(say(server, 1, { signal })).rejects.toMatchObject({ name: 'TimeoutError' })
    expect(await readSaid(server)).toEqual(expected)
    expect((await say(server, 2)).status).toBe(201)
    await expect
      .poll(() => new Promise((resolve) => server.app.server.getConnections((_, n) => resolve(n))))
      .toBeLessThan(3)
    expect(await outcomes(server)).toEqual(['timeout', 'ok'])
  })

  test.each([false, true])('ends when the server closes (effect: %s)', async (effect) => {
    const server = await serve({ simulators: [echo()] })
    await tell(server, { mode: 'timeout', effect })
    const waiting = Array.from({ length: 20 }, (_, n) => say(server, n))
    const ended = Promise.allSettled(waiting)
    await expect.poll(async () => (await outcomes(server)).length).toBe(20)
    await expect.poll(async () => new Set(await outcomes(server))).toEqual(new Set(['timeout']))
    const started = performance.now()
    await server.app.close()
    expect(performance.now() - started).toBeLessThan(20_000)
    expect(new Set((await ended).map(({ status }) => status))).toEqual(new Set(['rejected']))
  })
})

describe('slow', () => {
  test.each([false, true])('answers late, and well (effect: %s)', async (effect) => {
    const server = await serve({ simulators: [echo()] })
    await tell(server, { mode: 'slow', delayMs: 1_000, times: 1, effect })
    const started = performance.now()
    const answer = say(server, 1)
    await expect.poll(async () => (await server.requests())[0]?.['fault']).toBeTruthy()
    await expect.poll(async () => (await readSaid(server)).length).toBe(effect ? 1 : 0)
    expect(await outcomes(server)).toEqual(['pending'])
    expect((await answer).status).toBe(201)
    expect(performance.now() - started).toBeGreaterThan(990)
    expect(await readSaid(server)).toEqual([{ n: 1 }])
    expect(await outcomes(server)).toEqual(['slow'])
  })

  test('is cut short when the server closes', async () => {
    const server = await serve({ simulators: [echo()] })
    await tell(server, { mode: 'slow', delayMs: 60_000 })
    const answer = say(server, 1)
    await expect.poll(async () => (await server.requests())[0]?.['fault']).toBeTruthy()
    const started = performance.now()
    await server.app.close()
    expect(performance.now() - started).toBeLessThan(20_000)
    expect((await answer).status).toBe(201)
  })
})

describe('counting', () => {
  test.each([false, true])('of 50 at once exactly `times` fail (effect: %s)', async (effect) => {
    const server = await serve({ simulators: [echo()] })
    await tell(server, { mode: 'error', after: 10, times: 17, effect })
    const path = '/sim/echo/work'
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) => server.post(path, { n })),
    )
    expect(answers.filter(({ status }) => status === 500)).toHaveLength(17)
    expect(await readSaid(server)).toHaveLength(effect ? 50 : 33)
    expect((await server.requests('echo', '?outcome=error')).length).toBe(17)
    expect((await server.get('/sim/echo/faults')).body).toEqual({ mode: 'ok' })
  })

  test('a new fault takes the place of the old one', async () => {
    const server = await serve({ simulators: [echo()] })
    await tell(server, { mode: 'error', times: 5 })
    await say(server, 1)
    expect((await server.get('/sim/echo/faults')).body).toMatchObject({ mode: 'error', times: 4 })
    await tell(server, { mode: 'error', status: 404, after: 1 })
    expect((await server.get('/sim/echo/faults')).body).toMatchObject({ after: 1, times: null })
    expect([(await say(server, 2)).status, (await say(server, 3)).status]).toEqual([201, 404])
  })

  test('is per simulator and per server', async () => {
    const one = await serve({ simulators: [echo(), echo('other')] })
    const two = await serve({ simulators: [echo()] })
    await tell(one, { mode: 'error' })
    expect((await say(one, 1)).status).toBe(500)
    expect((await one.post('/sim/other/say', {})).status).toBe(201)
    expect((await say(two, 1)).status).toBe(201)
    expect(await two.requests()).toHaveLength(1)
  })
})

describe('a simulator by itself', () => {
  test('can fail after its work', async () => {
    const server = await serve({ simulators: [echo()] })
    const magic = (order: object, init = {}) => server.post('/sim/echo/magic', order, init)
    expect((await magic({ mode: 'ok' })).status).toBe(200)
    expect(await magic({ mode: 'error', status: 429, code: 'SLOWER' })).toEqual({
      status: 429,
      body: { error: { code: 'SLOWER' } },
    })
    await expect(magic({ mode: 'drop' })).rejects.toThrow('fetch failed')
    const signal = AbortSignal.timeout(1_000)
    await expect(magic({ mode: 'timeout' }, { signal })).rejects.toThrow('timeout')
    expect(await readSaid(server)).toHaveLength(4)
    expect(await outcomes(server)).toEqual(['ok', 'error', 'drop', 'timeout'])
    expect((await server.requests())[0]?.['fault']).toEqual({ mode: 'timeout', effect: true })
  })

  test('does what the fault says instead', async () => {
    const server = await serve({ simulators: [echo()] })
    await tell(server, { mode: 'error', status: 503, effect: true })
    expect((await server.post('/sim/echo/magic', { mode: 'drop' })).status).toBe(503)
  })
})

test.each([
  ['no mode', {}],
  ['an unknown mode', { mode: 'explode' }],
  ['a status that is no failure', { mode: 'error', status: 200 }],
  ['a status that is none', { mode: 'error', status: 'bad' }],
  ['a negative count', { mode: 'error', after: -1 }],
  ['no times', { mode: 'error', times: 0 }],
  ['half a time', { mode: 'error', times: 1.5 }],
  ['an endless delay', { mode: 'slow', delayMs: 1e9 }],
  ['an unknown field', { mode: 'error', tmes: 1 }],
  ['an effect that is none', { mode: 'error', effect: 'perhaps' }],
  ['a list', [{ mode: 'error' }]],
  ['nothing', null],
])('%s is 400, and nothing changes', async (_, order) => {
  const server = await serve({ simulators: [echo()] })
  await tell(server, { mode: 'error', status: 418, times: 9 })
  const answer = await tell(server, order)
  expect(answer).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } })
  expect((await server.get('/sim/echo/faults')).body).toMatchObject({ status: 418, times: 9 })
})
