import { SpanKind, SpanStatusCode } from '@opentelemetry/api'
import { currentTraceparent } from '@posthorn/engine/internal'
import { useSpanRecorder } from '@posthorn/engine/testing'
import { expect, test } from 'vitest'
import { bearer, sampleApp } from '../testing/sample-app.ts'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const TRACEPARENT = `00-${TRACE}-b7ad6b7169203331-01`

const { spans } = useSpanRecorder()

test('a request is a span of its route, child of who called', async () => {
  const app = await sampleApp()
  const headers = { ...(await bearer()), traceparent: TRACEPARENT }
  await app.inject({ url: '/things?status=secret', headers })
  await expect.poll(() => spans[0]?.ended).toBe(1)
  expect(spans).toHaveLength(1)
  expect(spans[0]).toMatchObject({
    name: 'GET /things',
    kind: SpanKind.SERVER,
    traceId: TRACE,
    parent: 'b7ad6b7169203331',
    status: undefined,
    attributes: {
      'http.request.method': 'GET',
      'http.route': '/things',
      'url.path': '/things',
      'http.response.status_code': 200,
    },
  })
  expect(JSON.stringify(spans[0])).not.toContain('secret')
})

test('it is active in the handler, also after a body was read', async () => {
  const app = await sampleApp()
  app.post('/enqueue', async () => {
    await Promise.resolve()
    return { traceparent: currentTraceparent() }
  })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const response = await fetch(`${url}/enqueue`, {
    method: 'POST',
    headers: {
      ...(await bearer()),
      traceparent: TRACEPARENT,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ large: 'x'.repeat(100_000) }),
  })
  expect(await response.json()).toEqual({ traceparent: `00-${TRACE}-${spans[0]?.spanId}-01` })
})

test('requests at the same time do not mix', async () => {
  const app = await sampleApp()
  app.get('/mine', async () => {
    await new Promise((resolve) => setImmediate(resolve))
    return { traceparent: currentTraceparent() }
  })
  const headers = await bearer()
  const seen = await Promise.all(
    Array.from({ length: 20 }, async () => (await app.inject({ url: '/mine', headers })).body),
  )
  expect(new Set(seen).size).toBe(20)
})

test.each([
  ['/broken', 500, 'INTERNAL', { code: SpanStatusCode.ERROR }],
  ['/refused', 422, 'OUT_OF_STOCK', undefined],
])('%s is marked with its code', async (url, status, code, mark) => {
  const app = await sampleApp()
  await app.inject({ url, headers: await bearer() })
  await expect.poll(() => spans[0]?.ended).toBe(1)
  expect(spans[0]?.attributes).toMatchObject({
    'error.type': code,
    'http.response.status_code': status,
  })
  expect(spans[0]?.status).toEqual(mark)
})

test.each([
  'rubbish',
  `ff-${TRACE}-b7ad6b7169203331-01`,
  `00-${'0'.repeat(32)}-b7ad6b7169203331-01`,
])('the traceparent %s begins a trace of its own', async (traceparent) => {
  const app = await sampleApp()
  await app.inject({ url: '/open', headers: { traceparent } })
  expect(spans[0]?.parent).toBeUndefined()
})

test('log lines of the request carry the trace', async () => {
  const lines: Record<string, unknown>[] = []
  const write = (line: string) => void lines.push(JSON.parse(line))
  const app = await sampleApp({ log: { level: 'info', stream: { write } } })
  const headers = { ...(await bearer()), traceparent: TRACEPARENT, 'x-request-id': 'r1' }
  await app.inject({ url: '/broken', headers })
  expect(lines).toMatchObject([
    { traceId: TRACE, reqId: 'r1' },
    { traceId: TRACE, reqId: 'r1' },
  ])
})
