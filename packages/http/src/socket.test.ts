import { describe, expect, test } from 'vitest'
import { bearer, sampleApp } from './testing/sample-app.ts'
import { listen, rawConnection } from './testing/raw-request.ts'

const connect = async (options: Parameters<typeof sampleApp>[0] = {}) => {
  const app = await sampleApp({ requestTimeoutMs: 300, ...options })
  const { authorization } = await bearer()
  const connection = await rawConnection(await listen(app))
  const head = (line: string, ...headers: string[]) =>
    [line, 'Host: x', `Authorization: ${authorization}`, ...headers, '', ''].join('\r\n')
  return { app, head, ...connection }
}
const PATIENT = { timeout: 20_000 }
const JSON_TYPE = 'Content-Type: application/json'

describe('on the wire', () => {
  test.each([
    ['no HTTP', 'hello\r\n\r\n', 400],
    ['a bad version', 'GET / HTTP/9.9\r\nHost: x\r\n\r\n', 400],
    ['no host', 'GET /open HTTP/1.1\r\n\r\n', 400],
    [
      'two lengths',
      'POST /open HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
      400,
    ],
    [
      'a length and chunks',
      'POST /open HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
    ],
    ['a negative length', 'POST /open HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n', 400],
    [
      'a broken chunk',
      'PUT /anything HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
      400,
    ],
    ['huge headers', `GET /open HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`, 431],
    ['a huge address', `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, 431],
    ['half a header', 'GET /open HTTP/1.1\r\nHost', 408],
  ])('%s is answered with a problem and closed', async (_what, text, status) => {
    const { say, received, isOver } = await connect()
    say(text)
    await expect.poll(isOver).toBe(true)
    expect(received()).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    if (_what !== 'no host') expect(received()).toMatch(/application\/problem\+json/i)
  })

  test('one network has its share of connections, another its own, and proxies are not counted', async () => {
    const counts = async (trustProxy?: string[]) => {
      const app = await sampleApp({
        maxConnectionsPerNetwork: 3,
        ...(trustProxy && { trustProxy }),
      })
      const port = await listen(app)
      const open = async (from: string) => {
        const connection = await rawConnection(port, from)
        connection.say('GET /open HTTP/1.1\r\nHost: x\r\n\r\n')
        const isSettled = () => connection.isOver() || connection.received() !== ''
        await expect.poll(isSettled, PATIENT).toBe(true)
        return connection
      }
      const mine = []
      for (let i = 0; i < 5; i += 1) mine.push(await open('127.0.0.2'))
      const other = await open('127.0.0.3')
      const answered = (each: typeof other) => each.received().startsWith('HTTP/1.1 200')
      return { app, open, mine, answered: mine.map(answered), other: answered(other) }
    }
    const limited = await counts()
    expect(limited).toMatchObject({ answered: [true, true, true, false, false], other: true })
    // A connection that ends makes room.
    limited.mine[0]?.socket.destroy()
    await expect
      .poll(async () => (await limited.open('127.0.0.2')).received(), PATIENT)
      .toMatch(/^HTTP\/1.1 200/)
    expect((await counts(['127.0.0.2'])).answered).toEqual(Array(5).fill(true))
  })

  test('a body that trickles in is 408', async () => {
    const { say, received, isOver, head } = await connect()
    say(head('POST /things HTTP/1.1', JSON_TYPE, 'Content-Length: 1000'))
    const drip = setInterval(() => say('{'), 50)
    try {
      await expect.poll(isOver).toBe(true)
    } finally {
      clearInterval(drip)
    }
    expect(received()).toMatch(/^HTTP\/1.1 408 /)
    expect(received()).toContain('REQUEST_TIMEOUT')
  })

  test('bodies on their way have a bound for an organisation and for all', async () => {
    const app = await sampleApp({ bodyBudget: { perCaller: 50_000, inAll: 90_000 } })
    const port = await listen(app)
    const length = 40_000
    const payload = JSON.stringify({ name: 'x'.repeat(length - 11) })
    const statusFor = async (org: string) => {
      const headers = { ...(await bearer({ org })), 'content-type': 'application/json' }
      return (await app.inject({ method: 'PUT', url: '/anything', headers, payload })).statusCode
    }
    const begin = async (org: string) => {
      const { authorization } = await bearer({ org })
      const connection = await rawConnection(port)
      const head = [`Authorization: ${authorization}`, JSON_TYPE, `Content-Length: ${length}`]
      connection.say(['PUT /anything HTTP/1.1', 'Host: x', ...head, '', ''].join('\r\n'))
      return connection
    }
    /** A body of one organisation that is on its way for as long as another's is refused. */
    const hold = async (org: string, refused: string) => {
      let held = await begin(org)
      await expect
        .poll(async () => {
          // It was refused itself, if a body that asked was there first.
          if (held.received() !== '') held = await begin(org)
          return statusFor(refused)
        }, PATIENT)
        .toBe(429)
      return held.socket
    }
    const held = await hold('acme', 'acme')
    expect(await statusFor('umbrella')).toBe(200)
    const other = await hold('umbrella', 'initech')
    const small = {
      headers: await bearer({ org: 'acme' }),
      url: '/anything',
      method: 'PUT',
    } as const
    expect((await app.inject({ ...small, payload: { name: 'x' } })).statusCode).toBe(200)
    for (const socket of [held, other]) socket.destroy()
    await expect.poll(() => statusFor('acme'), PATIENT).toBe(200)
  })

  test('a body that is cut off breaks nothing', async () => {
    const { app, say, socket, head } = await connect()
    say(head('POST /things HTTP/1.1', JSON_TYPE, 'Content-Length: 1000'))
    say('{"name"')
    socket.resetAndDestroy()
    expect((await app.inject({ url: '/open' })).statusCode).toBe(200)
    await expect.poll(() => connections(app)).toBe(0)
  })

  test('a refused body is not read on: the connection ends', async () => {
    const { say, received, isOver } = await connect()
    say('POST /things HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{')
    await expect.poll(isOver).toBe(true)
    expect(received()).toMatch(/^HTTP\/1.1 401 /)
    expect(received()).toMatch(/connection: close/i)
  })

  test('a refused request without a body keeps its connection', async () => {
    const { say, received, isOver } = await connect()
    say('GET /me HTTP/1.1\r\nHost: x\r\n\r\n')
    await expect.poll(received).toMatch(/^HTTP\/1.1 401 /)
    expect(received()).not.toMatch(/connection: close/i)
    say('GET /open HTTP/1.1\r\nHost: x\r\n\r\n')
    await expect.poll(received).toMatch(/HTTP\/1.1 200 /)
    expect(isOver()).toBe(false)
  })

  test('a body larger than announced or allowed is refused', async () => {
    const { say, received, head } = await connect({ bodyLimit: 50 })
    say(head('POST /things HTTP/1.1', JSON_TYPE, 'Transfer-Encoding: chunked'))
    say(`40\r\n${'x'.repeat(64)}\r\n`)
    await expect.poll(received).toMatch(/^HTTP\/1.1 413 /)
    expect(received()).toContain('PAYLOAD_TOO_LARGE')
  })

  test('requests sent at once are answered in their order', async () => {
    const { say, received, head } = await connect()
    say(head('GET /open HTTP/1.1') + head('GET /me HTTP/1.1') + head('GET /nowhere HTTP/1.1'))
    const statuses = () => [...received().matchAll(/HTTP\/1.1 (\d+) /g)].map(([, status]) => status)
    await expect.poll(statuses).toEqual(['200', '200', '404'])
  })

  test('a stream may take longer than a parsed body', async () => {
    const { app, say, received, head } = await connect()
    expect(received()).toBe('')
    await app.close()
    const other = await sampleApp({ requestTimeoutMs: 200 })
    other.addContentTypeParser('application/zip', (_request, payload, done) => done(null, payload))
    other.post('/upload', async ({ body }) => {
      let bytes = 0
      for await (const chunk of body as AsyncIterable<Buffer>) bytes += chunk.length
      return { bytes }
    })
    const slow = await rawConnection(await listen(other))
    slow.say(head('POST /upload HTTP/1.1', 'Content-Type: application/zip', 'Content-Length: 8'))
    let sent = 0
    const drip = setInterval(() => {
      slow.say('x')
      sent += 1
      if (sent === 8) clearInterval(drip)
    }, 60)
    await expect.poll(slow.received).toContain('{"bytes":8}')
    expect(say).toBeDefined()
  })
})

function connections(app: Awaited<ReturnType<typeof sampleApp>>): Promise<number> {
  return new Promise((resolve, reject) =>
    app.server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  )
}
