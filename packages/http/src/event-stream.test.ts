import * as fc from 'fast-check'
import { setTimeout } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { App } from './app.ts'
import {
  lastEventId,
  sendEvents,
  type EventStreamOptions,
  encodeEvent,
  type StreamEvent,
} from './event-stream.ts'
import { SECRET, bearer, sampleApp } from './testing/sample-app.ts'
import { listen, rawConnection } from './testing/raw-request.ts'
import { signToken } from './access/token.ts'

/** What a browser reads from the text of a stream. */
function parse(text: string): { id: string; event: string; data: string }[] {
  return text
    .split(/\r\n\r\n|\n\n|\r\r/)
    .map((block) => {
      const fields = block.split(/\r\n|\n|\r/).map((line) => /^(\w+): ?(.*)$/s.exec(line) ?? [])
      const of = (name: string) => fields.filter(([, field]) => field === name).map(([, , v]) => v)
      return { id: of('id')[0] ?? '', event: of('event')[0] ?? '', data: of('data') }
    })
    .filter(({ data }) => data.length > 0)
    .map(({ data, ...rest }) => ({ ...rest, data: data.join('\n') }))
}

async function openStream(
  events: EventStreamOptions['events'],
  options: Partial<EventStreamOptions> = {},
) {
  const app = await sampleApp({ drainMs: 500 })
  const ended: boolean[] = []
  app.get('/stream', async (_request, reply) => {
    await sendEvents(reply, { events, ...options })
    ended.push(true)
  })
  const port = await listen(app)
  return { app, port, ended, url: `http://127.0.0.1:${port}/stream` }
}

async function* forever(signal: AbortSignal): AsyncGenerator<readonly StreamEvent[]> {
  for (let i = 0; !signal.aborted && i < 10_000; i += 1) {
    yield [{ id: String(i), data: i }]
    await setTimeout(5, undefined, { signal }).catch(() => undefined)
  }
}

async function* silent(signal: AbortSignal): AsyncGenerator<readonly StreamEvent[]> {
  await new Promise((resolve) => signal.addEventListener('abort', resolve))
  yield []
}

describe('an event', () => {
  test('arrives as it was sent, with any characters', () => {
    const text = fc.string({ unit: 'binary' }).map((s) => s.replaceAll(/\r\n|\r/g, '\n'))
    fc.assert(
      fc.property(text, (data) => {
        expect(parse(encodeEvent({ id: '7', event: 'x', data }))).toEqual([
          { id: '7', event: 'x', data },
        ])
      }),
    )
  })

  test('cannot smuggle in another by its id or name', () => {
    const id = '1\ndata: fake\n\n'
    expect(parse(encodeEvent({ id, event: 'a\r\ndata: b', data: { a: '\n' } }))).toEqual([
      { id: '1data: fake', event: 'adata: b', data: '{"a":"\\n"}' },
    ])
  })
})

describe('a stream', () => {
  test('says what it is and ends with its source', async () => {
    const { url, ended } = await openStream(async function* () {
      yield [
        { id: '1', event: 'made', data: { a: 1 } },
        { id: '2', data: 'two\nlines' },
      ]
      yield [{ id: '3', data: null }]
    })
    const response = await fetch(url, { headers: await bearer() })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/)
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.headers.get('x-request-id')).toBeTruthy()
    const text = await response.text()
    expect(text).toMatch(/^retry: 2000\n\n/)
    expect(parse(text)).toEqual([
      { id: '1', event: 'made', data: '{"a":1}' },
      { id: '2', event: '', data: 'two\nlines' },
      { id: '3', event: '', data: 'null' },
    ])
    expect(ended).toEqual([true])
  })

  test('asked for by HEAD is over at once', async () => {
    const { url, ended, app } = await openStream(silent)
    const response = await fetch(url, { method: 'HEAD', headers: await bearer() })
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/)
    await expect.poll(() => ended.length).toBe(1)
    expect(app.streams.size).toBe(0)
  })

  test('needs a token like any route', async () => {
    const { url } = await openStream(forever)
    expect((await fetch(url)).status).toBe(401)
  })

  test('stops its source when the client leaves', async () => {
    let signal: AbortSignal | undefined
    const { url, ended, app } = await openStream((given) => {
      signal = given
      return forever(given)
    })
    const leave = new AbortController()
    const response = await fetch(url, { headers: await bearer(), signal: leave.signal })
    await response.body?.getReader().read()
    leave.abort()
    await expect.poll(() => ended.length).toBe(1)
    expect(signal?.aborted).toBe(true)
    expect(app.streams.size).toBe(0)
  })

  test('stops a source that says nothing', async () => {
    const { url, ended } = await openStream(silent)
    const leave = new AbortController()
    await fetch(url, { headers: await bearer(), signal: leave.signal })
    leave.abort()
    await expect.poll(() => ended.length).toBe(1)
  })

  test('sends heartbeats', async () => {
    const { url } = await openStream(silent, { keepAliveMs: 20 })
    const response = await fetch(url, { headers: await bearer() })
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    for (let i = 0; i < 50 && !text.includes(': here'); i += 1) {
      text += (await reader?.read())?.value ?? ''
    }
    expect(text).toContain(': here\n\n')
    await reader?.cancel()
  })

  test('ends when the app closes', async () => {
    const { url, app, ended } = await openStream(silent)
    const response = await fetch(url, { headers: await bearer() })
    const start = performance.now()
    const [text] = await Promise.all([response.text(), app.close()])
    expect(text).toBe('retry: 2000\n\n')
    expect(ended).toEqual([true])
    expect(performance.now() - start).toBeLessThan(20_000)
  })

  test('ends when its token does', async () => {
    const { url, ended } = await openStream(silent)
    const token = await signToken({ secret: SECRET, sub: 'a', org: 'b', expiresIn: '2s' })
    const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } })
    expect(response.status).toBe(200)
    await response.text()
    expect(ended).toEqual([true])
    const again = await fetch(url, { headers: { authorization: `Bearer ${token}` } })
    // The clock tolerance lets it in for a moment, and the stream ends at once.
    await again.text()
    expect([200, 401]).toContain(again.status)
  })

  test('that breaks is logged and ends', async () => {
    const { url, ended } = await openStream(async function* () {
      yield [{ data: 1 }]
      throw new Error('the source broke')
    })
    const response = await fetch(url, { headers: await bearer() })
    expect(parse(await response.text())).toHaveLength(1)
    expect(ended).toEqual([true])
  })

  test('is cut off when the client takes nothing', async () => {
    let made = 0
    const { port, ended } = await openStream(
      async function* () {
        for (made = 0; made < 100_000; made += 1) yield [{ data: 'x'.repeat(10_000) }]
      },
      { patienceMs: 200 },
    )
    const { authorization } = await bearer()
    const slow = await rawConnection(port)
    slow.socket.pause()
    slow.say(`GET /stream HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\n\r\n`)
    await expect.poll(() => ended.length).toBe(1)
    // What one client can make us hold is a socket's buffer, not the whole source.
    expect(made).toBeLessThan(5_000)
    slow.socket.destroy()
  })

  test('is one of at most so many', async () => {
    const { url } = await openStream(silent, { maxPerCaller: 2 })
    const leave = new AbortController()
    const open = async (sub: string) =>
      fetch(url, { headers: await bearer({ sub }), signal: leave.signal })
    expect((await open('ada')).status).toBe(200)
    expect((await open('ada')).status).toBe(200)
    const third = await open('ada')
    expect(third.status).toBe(429)
    expect(await third.json()).toMatchObject({ code: 'TOO_MANY_STREAMS' })
    expect((await open('bob')).status).toBe(200)
    leave.abort()
    const later = new AbortController()
    await expect
      .poll(async () => {
        const response = await fetch(url, { headers: await bearer(), signal: later.signal })
        return response.status
      })
      .toBe(200)
    later.abort()
  })

  test('is one of at most so many of an organisation, and of all', async () => {
    const { url } = await openStream(silent, { maxPerOrg: 2, maxInAll: 3 })
    const leave = new AbortController()
    const open = async (org: string, sub: string) => {
      const headers = await bearer({ org, sub })
      const response = await fetch(url, { headers, signal: leave.signal })
      return response.status
    }
    expect([await open('acme', 'ada'), await open('acme', 'bob')]).toEqual([200, 200])
    expect(await open('acme', 'cyd')).toBe(429)
    expect(await open('other', 'ada')).toBe(200)
    expect(await open('third', 'ada')).toBe(429)
    leave.abort()
  })
})

describe('Last-Event-ID', () => {
  const ask = async (app: App, id: string) =>
    app.inject({ url: '/last', headers: { ...(await bearer()), 'last-event-id': id } })

  test('is given back, or refused if it cannot be ours', async () => {
    const app = await sampleApp()
    app.get('/last', (request) => ({ id: lastEventId(request) ?? null }))
    expect((await ask(app, '42')).json()).toEqual({ id: '42' })
    expect((await ask(app, '')).json()).toEqual({ id: null })
    for (const id of ['a b', 'x'.repeat(4_097), 'é']) {
      expect((await ask(app, id)).json()).toMatchObject({
        code: 'VALIDATION_FAILED',
        errors: [{ field: 'Last-Event-ID' }],
      })
    }
  })

  test('resumes a stream without a gap or a repeat', async () => {
    const app = await sampleApp()
    app.get('/numbers', (request, reply) => {
      const from = Number(lastEventId(request) ?? -1) + 1
      return sendEvents(reply, {
        async *events() {
          for (let i = from; i < Math.min(from + 10, 35); i += 1) yield [{ id: `${i}`, data: i }]
        },
      })
    })
    const port = await listen(app)
    const seen: number[] = []
    for (let tries = 0; tries < 10; tries += 1) {
      const last = seen.at(-1)
      const headers = {
        ...(await bearer()),
        ...(last !== undefined && { 'last-event-id': `${last}` }),
      }
      const response = await fetch(`http://127.0.0.1:${port}/numbers`, { headers })
      seen.push(...parse(await response.text()).map(({ data }) => Number(data)))
    }
    expect(seen).toEqual(Array.from({ length: 35 }, (_, i) => i))
  })
})
