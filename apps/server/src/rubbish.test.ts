import { createConnection } from 'node:net'
import { testDatabase } from '@posthorn/engine/testing'
import { afterEach, expect, test } from 'vitest'
import { testServer } from './testing/test-server.ts'

const database = await testDatabase()
const server = await testServer(database)
const token = await server.tokenFor({ role: 'platform' })
const { hostname, port } = new URL(server.url)

interface Sent {
  readonly method?: string
  readonly path: string
  readonly body?: string | Uint8Array<ArrayBuffer>
  readonly headers?: Record<string, string>
}

async function send({ method = 'POST', path, body, headers }: Sent) {
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body }),
  })
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    text: await response.text(),
  }
}

const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`
const greet = '/api/v1/greetings'
const replay = '/api/v1/outboxes/example.greetings/replay'

const CASES: readonly (readonly [string, Sent, number])[] = [
  ['malformed JSON', { path: greet, body: '{"name": ' }, 400],
  ['no body at all', { path: greet }, 400],
  ['an empty object', { path: greet, body: '{}' }, 400],
  ['an array', { path: greet, body: '[]' }, 400],
  ['a number for a name', { path: greet, body: '{"name": 4711}' }, 400],
  ['an empty name', { path: greet, body: '{"name": ""}' }, 400],
  [
    'a name that is too long',
    { path: greet, body: JSON.stringify({ name: 'x'.repeat(201) }) },
    400,
  ],
  ['a zero byte', { path: greet, body: '{"name": "a\\u0000b"}' }, 400],
  ['half a surrogate pair', { path: greet, body: '{"name": "\\ud800"}' }, 400],
  ['an unknown field', { path: greet, body: '{"name": "a", "admin": true}' }, 400],
  ['a poisoned prototype', { path: greet, body: '{"name": "a", "__proto__": {"x": 1}}' }, 400],
  ['JSON twenty thousand deep', { path: greet, body: `{"name": ${deep}}` }, 400],
  ['two megabytes', { path: greet, body: JSON.stringify({ name: 'x'.repeat(2 ** 21) }) }, 413],
  [
    'text that is called XML',
    { path: greet, body: '<a/>', headers: { 'content-type': 'application/xml' } },
    415,
  ],
  ['bytes that are no UTF-8', { path: greet, body: Uint8Array.of(0x7b, 0xff, 0xfe) }, 400],
  ['a wrong type in a filter', { path: replay, body: '{"filter": {"ids": "all"}}' }, 400],
  ['a dry run that is a string', { path: replay, body: '{"dryRun": "true"}' }, 400],
  [
    'a cursor of rubbish',
    { method: 'GET', path: '/api/v1/outboxes/example.greetings/messages?cursor=%F0%9F%92%A9' },
    400,
  ],
  [
    'a cursor of another list',
    { method: 'GET', path: '/api/v1/alerts?cursor=eyJpZCI6IngifQ' },
    400,
  ],
  ['a limit of zero', { method: 'GET', path: '/api/v1/alerts?limit=0' }, 400],
  ['a limit that is no number', { method: 'GET', path: '/api/v1/alerts?limit=many' }, 400],
  ['two limits', { method: 'GET', path: '/api/v1/alerts?limit=1&limit=2' }, 400],
  [
    'a filter the table has no column for',
    { method: 'GET', path: '/api/v1/outboxes/example.greetings/messages?key=a' },
    400,
  ],
  ...[
    '2020-01-01T00:00:00-21:14',
    '0000-01-01T00:00:00Z',
    '2016-12-31T23:59:60Z',
    '2021-02-30T00:00:00Z',
  ].map((time): readonly [string, Sent, number] => [
    `the time ${time}`,
    { method: 'GET', path: `/api/v1/audit?since=${encodeURIComponent(time)}` },
    400,
  ]),
  ['a broken escape', { method: 'GET', path: '/api/v1/greetings/%E0%A4%A' }, 400],
  ['a path that is none', { method: 'GET', path: '/api/v1/nothing' }, 404],
  ['a method that is none there', { method: 'DELETE', path: greet }, 405],
]

/** After each of them the server is well, and nothing was stored. */
afterEach(async () => {
  expect((await server.call('/healthz')).status).toBe(200)
  const { rows } = await database.pool.query('select count(*)::int as count from example.greeting')
  expect(rows[0]).toEqual({ count: 0 })
})

test.each(CASES)('%s is refused', async (_, sent, expected) => {
  const { status, type, text } = await send(sent)
  expect({ status, text }).toMatchObject({ status: expected })
  expect(type).toContain('application/problem+json')
  expect(JSON.parse(text)).toMatchObject({ status: expected, code: expect.any(String) })
  expect(text).not.toMatch(/node_modules|\.ts:|select |insert /)
})

/** Writes raw bytes and collects what comes back, for at most so long. */
function talk(bytes: string, withinMs: number): Promise<string> {
  return new Promise((resolve) => {
    const socket = createConnection({ host: hostname, port: Number(port) })
    let answer = ''
    const end = () => {
      clearTimeout(timer)
      socket.destroy()
      resolve(answer)
    }
    const timer = setTimeout(end, withinMs)
    socket.on('data', (chunk) => (answer += String(chunk)))
    socket.on('close', end)
    socket.on('error', end)
    socket.write(bytes)
  })
}

const head = (length: number) =>
  `POST ${greet} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\n` +
  `content-type: application/json\r\ncontent-length: ${length}\r\n\r\n`

test('what is no HTTP gets an answer, and the connection is closed', async () => {
  expect(await talk('\x16\x03\x01\x02\x00\x01\x00\x01\xfc\r\n\r\n', 2_000)).toMatch(
    /^HTTP\/1.1 400/,
  )
})

test('a body that stops in the middle stores nothing', async () => {
  const socket = createConnection({ host: hostname, port: Number(port) })
  socket.write(`${head(100)}{"name": "ad`)
  await new Promise((resolve) => setTimeout(resolve, 200))
  socket.destroy()
})

test('a thousand slow bodies do not keep others waiting', async () => {
  const sockets = Array.from({ length: 1_000 }, () => {
    const socket = createConnection({ host: hostname, port: Number(port) })
    socket.on('error', () => undefined)
    socket.write(`${head(100)}{`)
    return socket
  })
  const started = performance.now()
  expect((await server.call('/api/v1/outboxes')).status).toBe(200)
  expect(performance.now() - started).toBeLessThan(20_000)
  sockets.forEach((socket) => socket.destroy())
})
