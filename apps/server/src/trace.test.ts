import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { testDatabase, withBroker } from '@posthorn/engine/testing'
import { expect, onTestFinished, test } from 'vitest'
import { call, startProcess, type ServerProcess } from './testing/server-process.ts'

interface Span {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
}

interface Export {
  readonly resourceSpans?: readonly {
    readonly scopeSpans: readonly { readonly spans: readonly Span[] }[]
  }[]
}

// One for all: what the brokers carry differs by its name.
const database = await testDatabase()

/** Takes traces as a collector does, by OTLP over HTTP. */
async function startCollector() {
  const spans: Span[] = []
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    const { resourceSpans = [] } = (await json(request)) as Export
    spans.push(...resourceSpans.flatMap((each) => each.scopeSpans.flatMap((scope) => scope.spans)))
    response.setHeader('content-type', 'application/json').end('{}')
  }
  const server = createServer((request, response) => void take(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return { spans, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

const KIND = { server: 2, producer: 4, consumer: 5 }

/** A request from outside, its message and its effect, in as many processes as wanted: one trace. */
async function runTraced(env: NodeJS.ProcessEnv, processes: readonly string[]): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'posthorn-server-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const collector = await startCollector()
  const shared = {
    DATABASE_URL: database.url,
    POSTHORN_DATA_DIR: folder,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_BSP_SCHEDULE_DELAY: '200',
    ...env,
  }
  const [api] = processes.map((roles) => startProcess({ ...shared, POSTHORN_ROLES: roles })) as [
    ServerProcess,
  ]
  const [url, token] = [await api.url(), await api.token()]

  const traceId = '0af7651916cd43dd8448eb211c80319c'
  const callerSpan = 'b7ad6b7169203331'
  const name = `trace-${randomUUID()}`
  const response = await fetch(`${url}/api/v1/greetings`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      traceparent: `00-${traceId}-${callerSpan}-01`,
    },
    body: JSON.stringify({ name }),
  })
  expect(response.status).toBe(202)
  const times = async () => (await call(`${url}/api/v1/greetings/${name}`, { token })).body['times']
  await expect.poll(times, { timeout: 30_000 }).toBe(1)

  const ofTrace = () => collector.spans.filter((span) => span.traceId === traceId)
  const kinds = () => ofTrace().map(({ kind }) => kind)
  await expect
    .poll(kinds)
    .toEqual(expect.arrayContaining([KIND.server, KIND.producer, KIND.consumer]))
  const spanOf = (kind: number) => ofTrace().find((span) => span.kind === kind)
  expect(spanOf(KIND.server)).toMatchObject({
    name: 'POST /api/v1/greetings',
    parentSpanId: callerSpan,
  })
  // A first attempt may fail, with a span of its own: the one that arrived is the consumer's parent.
  const sender = ofTrace().find(({ spanId }) => spanId === spanOf(KIND.consumer)?.parentSpanId)
  expect(sender).toMatchObject({
    kind: KIND.producer,
    name: 'send example.greetings',
    parentSpanId: spanOf(KIND.server)?.spanId,
  })
}

withBroker('KAFKA_BROKERS', (KAFKA_BROKERS) => {
  test('one trace goes from the request through Kafka to the effect', async () => {
    await runTraced({ KAFKA_BROKERS, GREETINGS_BROKER: 'kafka' }, ['api', 'relay', 'worker'])
  })
})

withBroker('RABBITMQ_URL', (RABBITMQ_URL) => {
  test('one trace goes from the request through RabbitMQ to the effect', async () => {
    await runTraced({ RABBITMQ_URL, GREETINGS_BROKER: 'rabbitmq' }, ['api,relay,worker'])
  })
})

test('one trace goes from the request through a topic in PostgreSQL to the effect', async () => {
  await runTraced({}, ['api,relay,worker'])
})
