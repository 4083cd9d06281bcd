import { createServer, type RequestListener } from 'node:http'
import { createServer as createTcpServer, type AddressInfo } from 'node:net'
import { Agent } from 'undici'
import { afterEach, describe, expect, test } from 'vitest'
import { EmailProvider } from './email.ts'
import { postMessage } from './graph-api.ts'
import { Pacer, Pauses } from './pauses.ts'
import { classOf, type ErrorClass } from './whatsapp-errors.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()))
})

async function serveAnswers(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(() => (server.closeAllConnections(), server.close()))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function post(url: string, signal = AbortSignal.timeout(500)) {
  const dispatcher = new Agent({ connect: { timeout: 500 }, maxResponseSize: 10_000 })
  closing.push(() => dispatcher.destroy())
  return postMessage({ url, accessToken: 'secret', body: {}, dispatcher, signal })
}

describe('the Graph API', () => {
  const error = (code: number, more = {}) =>
    JSON.stringify({ error: { message: 'No', code, error_data: { details: 'Because' }, ...more } })

  test.each<[string, number, string, object]>([
    [
      'a message',
      200,
      '{"messages":[{"id":"wamid.1"}]}',
      { kind: 'accepted', messageId: 'wamid.1' },
    ],
    [
      'an error',
      400,
      error(131_047),
      { kind: 'failed', status: 400, code: 131_047, error: { code: '131047', message: 'Because' } },
    ],
    [
      'an error of a gateway',
      502,
      '<html>',
      { kind: 'failed', status: 502, code: undefined, error: { code: 'HTTP_502' } },
    ],
    [
      'an error with a code in words',
      400,
      '{"error":{"code":"x"}}',
      { kind: 'failed', code: undefined },
    ],
    ['a redirect', 302, '', { kind: 'failed', status: 302, error: { code: 'HTTP_302' } }],
    [
      'an abyss',
      400,
      '['.repeat(9_000),
      { kind: 'failed', response: { text: expect.any(String) } },
    ],
    ['success without an id', 200, '{"messages":[]}', { kind: 'silent' }],
    ['success in rubbish', 200, '<html>', { kind: 'silent' }],
    ['more than the client reads', 200, 'x'.repeat(20_000), { kind: 'silent' }],
  ])('answers with %s', async (_, status, body, expected) => {
    const url = await serveAnswers((_request, response) => response.writeHead(status).end(body))
    expect(await post(url)).toMatchObject(expected)
  })

  test('names a time to wait by seconds or by a date', async () => {
    const inAMinute = new Date(Date.now() + 60_000).toUTCString()
    for (const [header, ms] of [
      ['7', 7_000],
      [inAMinute, 60_000],
      ['soon', undefined],
    ] as const) {
      const url = await serveAnswers((_request, response) =>
        response.writeHead(429, { 'retry-after': header }).end(error(130_429)),
      )
      const reply = await post(url)
      const waits = reply.kind === 'failed' ? reply.retryAfterMs : NaN
      if (ms === undefined) expect(waits).toBeUndefined()
      else expect(Math.abs((waits ?? 0) - ms)).toBeLessThan(2_000)
    }
  })

  test('that is not there took nothing; that breaks off may have', async () => {
    expect(await post('http://127.0.0.1:9')).toMatchObject({ kind: 'unreachable' })
    expect(await post('http://no-such-host.invalid')).toMatchObject({ kind: 'unreachable' })
    const cut = await serveAnswers((request) => request.socket.destroy())
    expect(await post(cut)).toMatchObject({ kind: 'silent', error: { code: 'PROVIDER_SILENT' } })
    const silent = await serveAnswers(() => undefined)
    expect(await post(silent, AbortSignal.timeout(100))).toMatchObject({ kind: 'silent' })
    const half = await serveAnswers((request, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('{"mess')
      setTimeout(() => request.socket.destroy(), 20)
    })
    expect(await post(half)).toMatchObject({ kind: 'silent' })
  })
})

test.each<[ErrorClass, number[]]>([
  [
    'refused',
    [131_047, 133_000, 133_004, 133_006, 131_031, 100, 131_021, 131_026, 132_001, 132_016],
  ],
  ['limit', [4, 613, 80_007, 130_429]],
  ['pair-limit', [131_056]],
  ['account', [0, 10, 190, 200, 250, 299, 368, 131_005, 131_042]],
  ['number', [33, 131_037, 131_045, 131_048, 133_010, 133_016]],
  ['retry', [1, 2, 131_000, 131_016, 131_057, 999_999, -1]],
])('%s are %j', (errorClass, codes) => {
  expect(codes.map(classOf)).toEqual(codes.map(() => errorClass))
})

test('pauses grow while nothing gets through, and a burst is one', () => {
  let now = 0
  const pauses = new Pauses(() => now)
  const pause = (askedMs?: number) => pauses.pause('1', { askedMs, firstMs: 1_000 })
  expect([pause(), pause(), pause()]).toEqual([1_000, 1_000, 1_000])
  now += 1_000
  expect([pauses.leftMs('1'), pauses.leftMs('2'), pause()]).toEqual([0, 0, 2_000])
  now += 2_000
  expect(pause()).toBe(4_000)
  pauses.end('1')
  expect(pauses.leftMs('1')).toBe(4_000)
  now += 4_000
  pauses.end('1')
  expect(pause()).toBe(1_000)
  expect(pause(30_000)).toBe(30_000)
})

test('a sender has its turns in any second and no more, and one that is far away is not taken', () => {
  let now = 100
  const pacer = new Pacer({ perSecond: 3, mostMs: 1_500 }, () => now)
  const turns = (count: number) => Array.from({ length: count }, () => pacer.turn('1'))
  expect(turns(6).map(({ waitMs }) => waitMs)).toEqual([0, 0, 0, 1_000, 1_000, 1_000])
  expect(turns(1)).toEqual([{ waitMs: 2_000, taken: false }])
  expect(pacer.turn('2')).toEqual({ waitMs: 0, taken: true })
  now += 5_000
  expect(turns(1)).toEqual([{ waitMs: 0, taken: true }])
  const free = new Pacer({ perSecond: 0, mostMs: 250 }, () => now)
  expect(Array.from({ length: 9 }, () => free.turn('1').waitMs)).toEqual(Array(9).fill(0))
})

test('whenever a sender asks, no second has more turns than it may', () => {
  let now = 0
  const pacer = new Pacer({ perSecond: 20, mostMs: 1_000 }, () => now)
  const taken: number[] = []
  for (let i = 0; i < 2_000; i += 1) {
    now += (i * 7_919) % 60
    const { waitMs, taken: isTaken } = pacer.turn('1')
    if (isTaken) taken.push(now + waitMs)
  }
  const most = Math.max(...taken.map((at) => taken.filter((t) => t >= at && t < at + 1_000).length))
  expect(most).toBe(20)
})

const own = { id: 'email', orgId: null, accessToken: '', numberIds: ['a@b.org'], credentials: '' }
const mail = {
  ...{ id: '1', orgId: 'acme', attemptNo: 1, waitMs: 0, dossierId: null, accountId: null },
  conversationId: null,
  ...{ channel: 'email', to: 'c@d.org', templateCode: null },
  payload: { subject: 's', text: 't' },
  components: null,
}

test('mail whose server refuses our password waits for a person, and is not refused', async () => {
  const server = createTcpServer((socket) => {
    socket.write('220 mail\r\n')
    socket.on('data', (bytes) => {
      const isGreeting = bytes.toString().startsWith('EHLO')
      socket.write(isGreeting ? '250-mail\r\n250 AUTH PLAIN\r\n' : '535 5.7.8 no\r\n')
    })
    socket.on('error', () => undefined)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const smtpUrl = async () => `smtp://user:wrong@127.0.0.1:${port}`
  const provider = new EmailProvider({ smtpUrl, from: 'a@b.org', timeoutMs: 5_000, own })
  expect(await provider.send(mail, own)).toMatchObject({
    ...{ kind: 'retryLater', charge: false, failure: { code: 'SMTP_535' } },
    stop: { account: own, numberId: '' },
  })
  await provider.close()
  server.close()
})

test('mail that no server takes is not sent', async () => {
  const provider = (url: string | undefined) =>
    new EmailProvider({ smtpUrl: async () => url, from: 'a@b.org', timeoutMs: 500, own })
  expect(await provider(undefined).send(mail, own)).toMatchObject({
    kind: 'retryLater',
    unreachable: true,
  })
  expect(await provider('smtp://127.0.0.1:9').send(mail, own)).toMatchObject({ unreachable: true })
})
