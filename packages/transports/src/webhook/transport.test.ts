import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { retryLater, toMessage, uuid, type Delivery, type Outcome } from '@posthorn/engine'
import { Webhook } from 'standardwebhooks'
import { afterAll, expect, test } from 'vitest'
import { parseCidrs } from './address.ts'
import { createGuard } from './guard.ts'
import { retryAfterMs, type Answered } from './outcome.ts'
import { newWebhookSecret } from './signature.ts'
import { MODES, openReceiver, type Answer } from '../testing/webhook-receiver.ts'
import { webhookTransport, type WebhookTransportOptions } from './transport.ts'

const secret = newWebhookSecret()
const guard = createGuard({ opened: parseCidrs('127.0.0.0/8') })
const { signal } = new AbortController()

const modes: Record<string, Answer> = { ...MODES }
const BOMB = gzipSync(Buffer.alloc(50 * 1024 * 1024))
modes['bomb'] = (response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end(BOMB)
modes['binary'] = (response) => void response.end(Buffer.from([0, 255, 1, 2]))
const receiver = await openReceiver((response, request) =>
  modes[request.path.split('/')[1] ?? 'ok']?.(response, request),
)

const opened: ReturnType<typeof webhookTransport>[] = []
afterAll(() => Promise.all(opened.map((transport) => transport.close())))

function transportTo(options: Partial<WebhookTransportOptions> = {}) {
  const transport = webhookTransport({
    guard,
    timeout: '2s',
    resolve: async (batch) =>
      batch.map(({ destination }) => ({ url: destination.topic, secrets: [secret] })),
    ...options,
  })
  opened.push(transport)
  return transport
}

function deliveryTo(url: string, key?: string): Delivery {
  const message = toMessage({ id: uuid(), type: 'payment.succeeded', payload: { n: 1 }, key })
  return { message, destination: { transport: 'webhooks', topic: url } }
}

const to = (path: string) => deliveryTo(`${receiver.url}/${path}`)

async function outcomesOf(deliveries: readonly Delivery[], transport = transportTo()) {
  return (await transport.deliver(deliveries, { ordered: false, signal })) as readonly Answered[]
}

function codeOf(outcome: Outcome | undefined): string {
  if (outcome === undefined) return 'none'
  return outcome.kind === 'delivered' ? 'delivered' : outcome.failure.code
}

test('posts a signed CloudEvent', async () => {
  const delivery = to('ok/signed?shop=7')
  const [outcome] = await outcomesOf([delivery])
  expect(outcome?.kind).toBe('delivered')
  const request = receiver.seen.find(({ path }) => path === '/ok/signed?shop=7')
  expect(request?.body).toBe('{"n":1}')
  expect(request?.headers).toMatchObject({
    'content-type': 'application/json',
    'ce-type': 'payment.succeeded',
    'ce-id': delivery.message.id,
    'webhook-id': delivery.message.id,
    'x-webhook-signature': expect.stringMatching(/^sha256=[0-9a-f]{64}$/),
  })
  const headers = request?.headers as Record<string, string>
  expect(new Webhook(secret).verify(request?.body ?? '', headers)).toEqual({ n: 1 })
  expect(outcome?.exchange).toMatchObject({
    url: delivery.destination.topic,
    response: { status: 200, body: 'thanks', encoding: 'utf8', truncated: false },
    error: undefined,
  })
})

test.each([
  ['broken', 'WEBHOOK_STATUS', 'retryLater'],
  ['busy', 'WEBHOOK_STATUS', 'retryLater'],
  ['gone', 'WEBHOOK_GONE', 'refused'],
  ['moved', 'WEBHOOK_REDIRECT', 'retryLater'],
  ['hang', 'WEBHOOK_TIMEOUT', 'retryLater'],
  ['slowBody', 'WEBHOOK_TIMEOUT', 'retryLater'],
  ['hugeBody', 'delivered', 'delivered'],
  ['bomb', 'delivered', 'delivered'],
  ['binary', 'delivered', 'delivered'],
  ['reset', 'WEBHOOK_RESET', 'retryLater'],
  ['cut', 'WEBHOOK_RESET', 'retryLater'],
  ['rubbish', 'WEBHOOK_PROTOCOL', 'retryLater'],
  ['hugeHeaders', 'WEBHOOK_PROTOCOL', 'retryLater'],
])('a receiver that is %s: %s, in bounded time and memory', async (mode, code, kind) => {
  const before = process.memoryUsage().rss
  const started = performance.now()
  const [outcome, beside] = await outcomesOf([to(mode), to('ok')])
  expect(codeOf(outcome)).toBe(code)
  expect(outcome?.kind).toBe(kind)
  expect(codeOf(beside)).toBe('delivered')
  expect(performance.now() - started).toBeLessThan(20_000)
  expect(process.memoryUsage().rss - before).toBeLessThan(40 * 1024 * 1024)
  const kept = outcome?.exchange?.response
  expect((kept?.body ?? '').length).toBeLessThanOrEqual(Math.ceil((16 * 1024 * 4) / 3) + 3)
  if (mode === 'hugeBody') expect(kept).toMatchObject({ truncated: true, encoding: 'utf8' })
  if (mode === 'binary') expect(kept).toMatchObject({ body: 'AP8BAg==', encoding: 'base64' })
  if (mode === 'busy') expect(outcome).toMatchObject({ afterMs: 7_000, charge: true })
})

test('a redirect is not followed', async () => {
  const before = receiver.seen.length
  await outcomesOf([to('moved/away')])
  expect(receiver.seen.length - before).toBe(1)
})

test('no listener, no such name, an address that is closed', async () => {
  const free = await openReceiver(MODES.ok)
  await free.close()
  const resolve = async () => {
    throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' })
  }
  const strict = transportTo({ guard: createGuard({ resolve }) })
  const [nameless, loopback] = await outcomesOf(
    [deliveryTo('http://nothing.example/'), to('ok')],
    strict,
  )
  const [closed] = await outcomesOf([deliveryTo(free.url)])
  expect([nameless, loopback, closed].map(codeOf)).toEqual([
    'WEBHOOK_DNS',
    'WEBHOOK_BLOCKED',
    'WEBHOOK_CONNECT',
  ])
  // Which address a name led to is not for its owner to know.
  expect(closed?.exchange?.error?.message).toBe('the connection failed: ECONNREFUSED')
  expect(loopback?.exchange?.error?.message).not.toContain('127.0.0.1')
  for (const each of [nameless, loopback, closed]) {
    expect(each).toMatchObject({ kind: 'retryLater', unreachable: true, charge: true })
  }
})

test('a certificate of an unknown authority is refused', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-tls-'))
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const request = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1']
  execFileSync('openssl', [...request, '-subj', '/CN=127.0.0.1', '-keyout', key, '-out', cert], {
    stdio: 'ignore',
  })
  const options = { key: readFileSync(key), cert: readFileSync(cert) }
  rmSync(folder, { recursive: true })
  let requests = 0
  const server = createTlsServer(options, (_, response) => {
    requests += 1
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const [outcome] = await outcomesOf([deliveryTo(`https://127.0.0.1:${port}/`)])
  expect(codeOf(outcome)).toBe('WEBHOOK_TLS')
  // Plain HTTP where TLS is spoken, and the other way round.
  const [plain] = await outcomesOf([deliveryTo(`http://127.0.0.1:${port}/`)])
  const [tls] = await outcomesOf([deliveryTo(`https://127.0.0.1:${receiver.port}/ok`)])
  expect(plain?.kind).toBe('retryLater')
  expect(codeOf(tls)).toBe('WEBHOOK_TLS')
  expect(requests).toBe(0)
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

test.each([
  ['0', 2_000],
  ['5', 5_000],
  [' 30 ', 30_000],
  ['999999', 3_600_000],
  ['Wed, 21 Oct 2026 07:28:10 GMT', 10_000],
  ['Wed, 21 Oct 2020 07:28:00 GMT', 2_000],
  ['-1', undefined],
  ['1.5', undefined],
  ['soon', undefined],
  ['2026-10-21', undefined],
  [undefined, undefined],
])('Retry-After: %s is %s ms', (header, ms) => {
  expect(retryAfterMs(header, Date.parse('Wed, 21 Oct 2026 07:28:00 GMT'))).toBe(ms)
})

test('an outcome is reported when it is known, whatever the others take', async () => {
  const transport = transportTo()
  const reported: [number, string | undefined][] = []
  const outcomes = await transport.deliver([to('hang'), to('ok')], {
    ordered: false,
    signal: new AbortController().signal,
    report: (at, outcome) => void reported.push([at, codeOf(outcome)]),
  })
  expect(reported).toEqual([
    [1, 'delivered'],
    [0, 'WEBHOOK_TIMEOUT'],
  ])
  expect(outcomes.map(codeOf)).toEqual(['WEBHOOK_TIMEOUT', 'delivered'])
})

test('a slow endpoint has few requests under way, and is quick again when it is', async () => {
  let underWay = 0
  let most = 0
  let delayMs = 2_500
  const own = await openReceiver((response) => {
    underWay += 1
    most = Math.max(most, underWay)
    setTimeout(() => {
      underWay -= 1
      response.end()
    }, delayMs)
  })
  const transport = transportTo({ timeout: '30s', perEndpoint: 3 })
  const many = Array.from({ length: 30 }, () => deliveryTo(own.url))
  const first = await outcomesOf(many, transport)
  expect(most).toBe(3)
  expect(first.filter(({ kind }) => kind === 'delivered')).toHaveLength(3)
  // Those that had no turn come back one after the other, and are not charged.
  const busy = first.flatMap((each) =>
    codeOf(each) === 'WEBHOOK_BUSY' && each.kind === 'retryLater' ? [each] : [],
  )
  expect(busy).toHaveLength(27)
  expect(busy.every(({ charge }) => !charge)).toBe(true)

  delayMs = 0
  const quick = await outcomesOf(
    Array.from({ length: 20 }, () => deliveryTo(own.url)),
    transport,
  )
  expect(new Set(quick.map(codeOf))).toEqual(new Set(['delivered']))
  expect(most).toBe(3)
})

test('deliveries with a place go one after the other, and not behind one that failed', async () => {
  const seen: string[] = []
  let failAt = 3
  const own = await openReceiver((response, { body }) => {
    const { n } = JSON.parse(body) as { n: number }
    seen.push(String(n))
    response.writeHead(n === failAt ? 500 : 200).end()
  })
  const places = [4, 2, 1, 3, 5]
  const deliveries = places.map((n) => {
    const message = toMessage({ id: uuid(), type: 't', key: 'k', payload: { n } })
    return { message, destination: { transport: 'webhooks', topic: own.url } }
  })
  const transport = transportTo({
    resolve: async (batch) =>
      batch.map(({ message, destination }) => ({
        url: destination.topic,
        secrets: [],
        place: (message.payload as { n: number }).n,
      })),
  })
  const outcomes = await outcomesOf(deliveries, transport)
  expect(seen).toEqual(['1', '2', '3'])
  expect(outcomes.map(codeOf)).toEqual([
    'HELD_BACK',
    'delivered',
    'delivered',
    'WEBHOOK_STATUS',
    'HELD_BACK',
  ])
  failAt = 0
  seen.length = 0
  await outcomesOf(deliveries, transport)
  expect(seen).toEqual(['1', '2', '3', '4', '5'])
})

test('of an ordered batch each key goes one after the other and stops where it failed', async () => {
  const answered: string[] = []
  const receivers = await Promise.all(
    [0, 1].map(() =>
      openReceiver((response, { body }) => {
        const { key, n } = JSON.parse(body) as { key: string; n: number }
        // The first of a key takes longest: in parallel it would be answered last.
        setTimeout(() => {
          answered.push(`${key}${n}`)
          response.writeHead(key === 'b' && n === 2 ? 500 : 200).end()
        }, 60 / n)
      }),
    ),
  )
  const deliveries = [1, 2, 3].flatMap((n) =>
    ['a', 'b', 'c'].map((key) => {
      const message = toMessage({ id: uuid(), type: 't', key, payload: { key, n } })
      // The key's order holds across its endpoints.
      return { message, destination: { transport: 'webhooks', topic: receivers[n % 2]?.url ?? '' } }
    }),
  )
  const transport = transportTo({
    resolve: async (batch) =>
      batch.map(({ message, destination }) => {
        const { key, n } = message.payload as { key: string; n: number }
        const target = { url: destination.topic, secrets: [] }
        return key === 'c' && n === 1 ? retryLater({ code: 'PAUSED', message: 'not now' }) : target
      }),
  })
  const outcomes = await transport.deliver(deliveries, { ordered: true, signal })
  const codes = Object.groupBy(outcomes.map(codeOf), (_, i) => ['a', 'b', 'c'][i % 3] ?? '')
  expect(codes).toEqual({
    a: ['delivered', 'delivered', 'delivered'],
    b: ['delivered', 'WEBHOOK_STATUS', 'HELD_BACK'],
    c: ['PAUSED', 'HELD_BACK', 'HELD_BACK'],
  })
  expect(answered.filter((each) => each.startsWith('a'))).toEqual(['a1', 'a2', 'a3'])
  expect(answered.filter((each) => each.startsWith('b'))).toEqual(['b1', 'b2'])
})

test('what is called off is not charged, and closing waits for nothing', async () => {
  const stop = new AbortController()
  const transport = transportTo({ timeout: '30s' })
  const delivering = transport.deliver([to('hang')], { ordered: false, signal: stop.signal })
  setTimeout(() => stop.abort(), 100)
  const [outcome] = await delivering
  expect(codeOf(outcome)).toBe('WEBHOOK_ABORTED')
  expect(outcome).toMatchObject({ charge: false })

  const closing = transportTo({ timeout: '30s' })
  const before = receiver.seen.length
  const closed = outcomesOf([to('hang')], closing)
  await expect.poll(() => receiver.seen.length).toBe(before + 1)
  const started = performance.now()
  await closing.close()
  expect(performance.now() - started).toBeLessThan(20_000)
  expect((await closed).map(codeOf)).toEqual(['WEBHOOK_ABORTED'])
})

test('what cannot be written as JSON is refused, beside what can', async () => {
  const message = toMessage({ id: uuid(), type: 't', payload: 1n })
  const broken = { message, destination: { transport: 'webhooks', topic: `${receiver.url}/ok` } }
  expect((await outcomesOf([broken, to('ok')])).map(codeOf)).toEqual([
    'MESSAGE_UNENCODABLE',
    'delivered',
  ])
})

test("every look at a name is its tenant's own, at the connection and at the next one too", async () => {
  const looked: string[] = []
  const counting = createGuard({
    opened: parseCidrs('127.0.0.0/8'),
    resolve: async (hostname, tenant) => {
      looked.push(`${hostname} of ${tenant ?? 'all'}`)
      return [{ address: '127.0.0.1', family: 4 }]
    },
  })
  const transport = transportTo({ guard: counting })
  const deliver = (tenant: string, path: string) => {
    const topic = `http://${tenant}.example:${receiver.port}/${path}`
    const message = toMessage({ id: uuid(), type: 't', payload: {}, tenant })
    return outcomesOf([{ message, destination: { transport: 'webhooks', topic } }], transport)
  }
  // The first closes its connection, so that the second has to make one of its own.
  const tenants = ['acme', 'mallory']
  await Promise.all(tenants.map((tenant) => deliver(tenant, 'reset')))
  const answers = await Promise.all(tenants.map((tenant) => deliver(tenant, 'ok')))
  expect(answers.flat().map(codeOf)).toEqual(['delivered', 'delivered'])
  const once = ['acme.example of acme', 'mallory.example of mallory']
  expect(new Set(looked)).toEqual(new Set(once))
  // Before the connection and at it, twice.
  expect(looked).toHaveLength(8)
})
