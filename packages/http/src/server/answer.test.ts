import { expect, test } from 'vitest'
import { problem } from '../problem/problem.ts'
import { listen, rawConnection } from '../testing/raw-request.ts'
import { bearer, sampleApp } from '../testing/sample-app.ts'

/** An app with a route that takes files, and refuses them all without a look at them. */
async function fullApp(options?: Parameters<typeof sampleApp>[0]) {
  const app = await sampleApp(options)
  app.addContentTypeParser('application/zip', (_request, payload, done) => done(null, payload))
  app.post('/uploads', () => {
    throw problem('RATE_LIMITED', { detail: 'Too many uploads.' })
  })
  return app
}

/** Refusals of one organisation that are answered at once, each second. */
const AT_ONCE = 20
const PATIENT = { timeout: 10_000 }

async function beginUpload(...length: string[]) {
  const connection = await rawConnection(await listen(await fullApp()))
  const { authorization } = await bearer()
  const head = (line: string, ...headers: string[]) =>
    [line, 'Host: x', `Authorization: ${authorization}`, ...headers, '', ''].join('\r\n')
  connection.say(head('POST /uploads HTTP/1.1', 'Content-Type: application/zip', ...length))
  return { ...connection, head }
}

test('what a route refuses is answered late to those who go on, and to no other', async () => {
  const app = await fullApp({ requestTurns: { perCaller: 1, inAll: 9 } })
  const ask = async (org: string) => {
    const began = performance.now()
    const { statusCode } = await app.inject({
      ...{ method: 'POST', url: '/uploads', headers: await bearer({ org }) },
    })
    expect(statusCode).toBe(429)
    return performance.now() - began
  }
  const floods = Promise.all(Array.from({ length: AT_ONCE + 5 }, () => ask('flood')))
  const other = await ask('other')
  const times = await floods
  expect(times.filter((ms) => ms >= 990)).toHaveLength(5)
  // Beside each other: who waits for a refusal does not take the organisation's only turn.
  expect(Math.max(...times)).toBeLessThan(4_000)
  expect(other).toBeLessThan(990)
})

test('a refused upload keeps its connection', async () => {
  const { say, received, isOver, head } = await beginUpload('Content-Length: 200000')
  say('x'.repeat(100_000))
  say('x'.repeat(100_000))
  await expect.poll(received, PATIENT).toMatch(/^HTTP\/1.1 429 /)
  expect(received()).not.toMatch(/connection: close/i)
  say(head('GET /open HTTP/1.1'))
  await expect.poll(received, PATIENT).toMatch(/HTTP\/1.1 200 /)
  expect(isOver()).toBe(false)
})

test.each([
  ['is long', 'Content-Length: 2000000'],
  ['does not say how long it is', 'Transfer-Encoding: chunked'],
  ['does not come', 'Content-Length: 200000'],
])('a refused upload that %s ends its connection', async (_, length) => {
  const { received, isOver } = await beginUpload(length)
  await expect.poll(isOver, PATIENT).toBe(true)
  expect(received()).toMatch(/^HTTP\/1.1 429 /)
  expect(received()).toMatch(/connection: close/i)
})
