import { createHmac } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { useMovableClock } from '@posthorn/operate'
import { testDatabase } from '@posthorn/engine/testing'
import type { Pool } from 'pg'
import { afterEach, describe, expect, test } from 'vitest'
import { type TestServer, serve } from '@posthorn/simulators/testing'
import { USUAL, timetable, toAsciiJson } from './reports.ts'
import { whatsapp } from './index.ts'
import { Throughput } from './limits.ts'

/** Either part, by how it went. */
interface GraphAnswer {
  readonly messages: [{ readonly id: string }]
  readonly error: { readonly code: number }
}

interface Webhook {
  readonly signed: boolean
  readonly text: string
  readonly statuses: Record<string, unknown>[]
  readonly messages: Record<string, unknown>[]
}

const { pool } = await testDatabase()
const closing: (() => void)[] = []
afterEach(() => closing.splice(0).forEach((close) => close()))

/** A receiver of webhooks that refuses the first few. */
async function receiver(refuses = 0) {
  const webhooks: Webhook[] = []
  let left = refuses
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const bytes = Buffer.concat(parts)
      const hex = createHmac('sha256', 'the app secret').update(bytes).digest('hex')
      left -= 1
      if (left >= 0) return void response.writeHead(503).end()
      const body = JSON.parse(bytes.toString()) as {
        entry: { changes: { value: Partial<Pick<Webhook, 'statuses' | 'messages'>> }[] }[]
      }
      const values = body.entry.flatMap(({ changes }) => changes.map(({ value }) => value))
      webhooks.push({
        signed: request.headers['x-hub-signature-256'] === `sha256=${hex}`,
        text: bytes.toString(),
        statuses: values.flatMap(({ statuses = [] }) => statuses),
        messages: values.flatMap(({ messages = [] }) => messages),
      })
      response.writeHead(200).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(() => (server.closeAllConnections(), server.close()))
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/hook`, webhooks }
}

async function serveWhatsapp(
  webhookUrl: string,
  behaviour = {},
  clock?: Pool,
): Promise<TestServer> {
  const options = { accessToken: 'token', appSecret: 'the app secret', webhookUrl }
  const simulators = [whatsapp({ ...options, behaviour: { paceMs: 10, ...behaviour } })]
  return serve({ simulators, ...(clock && { pool: clock }) })
}

const message = (to: string, more = {}) => ({
  ...{ messaging_product: 'whatsapp', recipient_type: 'individual', to, type: 'template' },
  template: { name: 'hello_world', language: { code: 'en_US' } },
  biz_opaque_callback_data: 'ours',
  ...more,
})
const path = '/sim/whatsapp/v23.0/106540352242922/messages'
const headers = { authorization: 'Bearer token', 'content-type': 'application/json' }
const send = (api: TestServer, body: unknown, as: Record<string, string> = headers) =>
  api.post(path, body, { headers: as }) as Promise<{ status: number; body: GraphAnswer }>
const wordsOf = (webhooks: Webhook[]) =>
  webhooks.flatMap(({ statuses }) => statuses.map(({ status }) => status))

describe('a message', () => {
  test('is taken, and reported by signed webhooks: sent, delivered, read', async () => {
    const { url, webhooks } = await receiver()
    const api = await serveWhatsapp(url)
    const { status, body } = await send(api, message('+16505551234'))
    expect(status).toBe(200)
    expect(body).toEqual({
      messaging_product: 'whatsapp',
      contacts: [{ input: '+16505551234', wa_id: '16505551234' }],
      messages: [{ id: expect.stringMatching(/^wamid\./), message_status: 'accepted' }],
    })
    await expect.poll(() => wordsOf(webhooks)).toEqual(['sent', 'delivered', 'read'])
    expect(webhooks.every(({ signed }) => signed)).toBe(true)
    expect(webhooks[0]?.statuses[0]).toMatchObject({
      id: body.messages[0].id,
      timestamp: expect.stringMatching(/^\d{10}$/),
      recipient_id: '16505551234',
      biz_opaque_callback_data: 'ours',
      pricing: { pricing_model: 'PMP' },
    })
    expect(await api.requests('whatsapp')).toMatchObject([
      { outcome: 'ok', messageId: body.messages[0].id },
    ])
  })

  test('arrives within two seconds as things usually go', () => {
    for (let i = 0; i < 100; i += 1) {
      const times = timetable(['sent', 'delivered', 'read'], USUAL).map(({ afterMs }) => afterMs)
      expect(times).toEqual(times.toSorted((a, b) => a - b))
      // The reports wait 100 ms for company.
      expect(Math.max(...times) + 100).toBeLessThan(2_050)
    }
  })

  test.each([
    ['without a token', message('+16505551234'), { 'content-type': 'application/json' }, 401, 190],
    [
      'with a wrong one',
      message('+16505551234'),
      { ...headers, authorization: 'Bearer x' },
      401,
      190,
    ],
    ['of another product', { type: 'template' }, headers, 400, 100],
    ['without a recipient', message('+1', { to: undefined }), headers, 400, 131_008],
    ['to a word', message('not-a-number'), headers, 400, 131_009],
    [
      'of a type it does not know',
      message('+16505551234', { type: 'dance' }),
      headers,
      400,
      131_051,
    ],
    [
      'of no template',
      message('+16505551234', { template: { name: 'x', language: { code: 'en' } } }),
      headers,
      404,
      132_001,
    ],
    [
      'with too few parameters',
      message('+16505551234', { template: { name: 'otp_code', language: { code: 'en' } } }),
      headers,
      400,
      132_000,
    ],
    ['to …0047', message('+16505550047'), headers, 400, 131_047],
    ['to …0031', message('+16505550031'), headers, 403, 131_031],
    ['to …0190', message('+16505550190'), headers, 401, 190],
  ])('%s is refused in Meta’s words', async (_, body, as, status, code) => {
    const api = await serveWhatsapp('http://127.0.0.1:9')
    const answer = await send(api, body, as)
    expect([answer.status, answer.body.error.code]).toEqual([status, code])
    expect(answer.body.error).toMatchObject({
      type: 'OAuthException',
      fbtrace_id: expect.any(String),
    })
  })

  test.each([
    ['0429', 130_429],
    ['0056', 131_056],
  ])('to …%s meets a limit once', async (end, code) => {
    const api = await serveWhatsapp('http://127.0.0.1:9')
    expect((await send(api, message(`+1650555${end}`))).body.error.code).toBe(code)
    expect((await send(api, message(`+1650555${end}`))).status).toBe(200)
  })

  test('to …0026 is taken and fails by webhook, with what is not ASCII escaped', async () => {
    const { url, webhooks } = await receiver()
    const api = await serveWhatsapp(url)
    expect((await send(api, message('+16505550026'))).status).toBe(200)
    await expect.poll(() => wordsOf(webhooks)).toEqual(['failed'])
    expect(webhooks[0]?.statuses[0]?.['errors']).toMatchObject([{ code: 131_026 }])
    expect(webhooks[0]?.text).toContain('Ger\\u00e4t')
    expect(webhooks[0]?.signed).toBe(true)
  })

  test('to …0500 is taken although the answer is an error; to …0408 there is none', async () => {
    const { url, webhooks } = await receiver()
    const api = await serveWhatsapp(url)
    expect((await send(api, message('+16505550500'))).status).toBe(500)
    const signal = AbortSignal.timeout(200)
    const body = JSON.stringify(message('+16505550408'))
    await expect(fetch(api.url + path, { method: 'POST', headers, body, signal })).rejects.toThrow(
      'timeout',
    )
    await expect.poll(() => wordsOf(webhooks)).toHaveLength(6)
  })
})

describe('a person', () => {
  const text = (to: string) =>
    message(to, { type: 'text', template: undefined, text: { body: 'Hi' } })
  const write = (api: TestServer, body: object) => api.post('/sim/whatsapp/inbound', body)

  test('writes by a signed webhook, and can then be sent text for 24 hours', async () => {
    const { url, webhooks } = await receiver()
    await useMovableClock(pool)
    const api = await serveWhatsapp(url, { drop: ['sent', 'delivered', 'read'] }, pool)
    await send(api, message('+16505551234'))
    expect((await send(api, text('+16505551234'))).body.error.code).toBe(131_047)
    const { status, body } = await write(api, { from: '+16505551234', text: 'Olá', repeat: 2 })
    expect(status).toBe(202)
    await expect.poll(() => webhooks.map(({ messages }) => messages)).toHaveLength(2)
    expect(webhooks[0]?.messages).toEqual([
      {
        ...{ ...(body as object), from: '16505551234', type: 'text', text: { body: 'Olá' } },
        timestamp: expect.stringMatching(/^\d{10}$/),
      },
    ])
    expect(webhooks[0]).toMatchObject({ signed: true, text: expect.stringContaining('Ol\\u00e1') })
    expect((await send(api, text('+16505551234'))).status).toBe(200)
    // Each person has a session of its own.
    expect((await send(api, text('+16505551235'))).body.error.code).toBe(131_047)
    await api.post('/sim/clock/advance', { by: '24h' })
    expect((await send(api, text('+16505551234'))).body.error.code).toBe(131_047)
  })

  test.each(['button', 'list', 'image', 'reaction', 'unsupported'])(
    'writes messages of the kind %s',
    async (kind) => {
      const { url, webhooks } = await receiver()
      const api = await serveWhatsapp(url, {}, pool)
      await write(api, { from: '16505551234', kind, replyTo: 'wamid.1' })
      await expect.poll(() => webhooks).toHaveLength(1)
      const type = kind === 'list' ? 'interactive' : kind
      expect(webhooks[0]?.messages).toMatchObject([{ type, from: '16505551234' }])
      expect(webhooks[0]?.text).toContain(kind === 'unsupported' ? '131051' : 'wamid.1')
    },
  )
})

describe('its behaviour can be set', () => {
  test('to drop, repeat and turn round its reports, and to forget who we are', async () => {
    const { url, webhooks } = await receiver()
    const api = await serveWhatsapp(url, {
      drop: ['delivered'],
      repeat: 2,
      reorder: true,
      echo: false,
    })
    await send(api, message('+16505551234'))
    await expect.poll(() => wordsOf(webhooks)).toEqual(['read', 'read', 'sent', 'sent'])
    expect(webhooks[0]?.text).not.toContain('biz_opaque_callback_data')
  })

  test('how much a number may send, and to forget that', async () => {
    const api = await serveWhatsapp('http://127.0.0.1:9')
    const put = (body: object) =>
      fetch(`${api.url}/sim/whatsapp/behaviour`, {
        method: 'PUT',
        headers,
        body: JSON.stringify(body),
      })
    await put({ perSecond: 1 })
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => send(api, message('+16505551234'))),
    )
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThan(8)
    expect(answers.some(({ body }) => body.error?.code === 130_429)).toBe(true)
    await put({ perSecond: 0 })
    const free = await Promise.all(
      Array.from({ length: 100 }, () => send(api, message('+16505551234'))),
    )
    expect(free.every(({ status }) => status === 200)).toBe(true)
    await fetch(`${api.url}/sim/whatsapp`, { method: 'DELETE' })
    expect((await api.get('/sim/whatsapp/behaviour')).body).toMatchObject({
      perSecond: 80,
      paceMs: 10,
    })
    expect((await put({ perSecond: -1 })).status).toBe(400)
  })

  test('to report anything of a message at any time', async () => {
    const { url, webhooks } = await receiver()
    const api = await serveWhatsapp(url, { drop: ['sent', 'delivered', 'read'] })
    const { body } = await send(api, message('+16505551234'))
    const { id } = body.messages[0]
    expect((await api.post('/sim/whatsapp/reports', { id, status: 'failed' })).status).toBe(202)
    await expect.poll(() => wordsOf(webhooks)).toEqual(['failed'])
    expect((await api.post('/sim/whatsapp/reports', { id: 'x', status: 'read' })).status).toBe(404)
  })

  test('to fail by the common faults, in Meta’s words', async () => {
    const api = await serveWhatsapp('http://127.0.0.1:9')
    await api.post('/sim/whatsapp/faults', { mode: 'error', status: 503, code: 131_016, times: 1 })
    const { status, body } = await send(api, message('+16505551234'))
    expect([status, body.error.code]).toEqual([503, 131_016])
  })
})

test('reports that are not taken are made again', async () => {
  const { url, webhooks } = await receiver(2)
  const api = await serveWhatsapp(url, { drop: ['delivered', 'read'] })
  await send(api, message('+16505551234'))
  await expect.poll(() => wordsOf(webhooks)).toEqual(['sent'])
})

test('reports of many messages travel together', async () => {
  const { url, webhooks } = await receiver()
  const api = await serveWhatsapp(url, { perSecond: 0 })
  await Promise.all(
    Array.from({ length: 50 }, (_, n) => send(api, message(`+1650555${1_000 + n}`))),
  )
  await expect.poll(() => wordsOf(webhooks)).toHaveLength(150)
  expect(webhooks.length).toBeLessThan(50)
})

test('JSON is escaped as Meta does it: lower case, surrogates apart', () => {
  expect(toAsciiJson({ a: 'é😀~' }).toString()).toBe('{"a":"\\u00e9\\ud83d\\ude00~"}')
})

test('a number sends what it may in any second, and no more', () => {
  let now = 0
  const throughput = new Throughput(() => now)
  const taken: number[] = []
  for (now = 0; now < 5_000; now += 2) if (throughput.take('1', 80)) taken.push(now)
  // A second's worth at once, then 80 a second.
  expect(taken.length).toBeGreaterThanOrEqual(80 * 5)
  expect(taken.length).toBeLessThanOrEqual(80 * 6)
  expect(taken.filter((at) => at >= 3_000 && at < 4_000).length).toBeLessThanOrEqual(81)
  expect(throughput.take('2', 80)).toBe(true)
})
