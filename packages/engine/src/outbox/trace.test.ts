import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, context, metrics, trace } from '@opentelemetry/api'
import { MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics'
import { rolldown } from 'rolldown'
import { describe, expect, onTestFinished, test } from 'vitest'
import { toMessage } from './message.ts'
import { delivered, refused, retryLater } from './outcome.ts'
import {
  currentTraceparent,
  withConsumerSpan,
  withConsumerSpans,
  withDeliverySpan,
} from './trace.ts'
import { useSpanRecorder } from '../testing/span-recorder.ts'
import type { Delivery } from './transport.ts'
import { uuid } from '../uuid.ts'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const TRACEPARENT = `00-${TRACE}-b7ad6b7169203331-01`

const delivery = (traceparent?: string): Delivery => ({
  message: toMessage({ id: uuid(), type: 'OrderPlaced', payload: {}, traceparent }),
  destination: { transport: 'kafka', topic: 'orders' },
})
const consumer = { transport: 'sqs', topic: 'orders', group: 'stock' }

const shop = { outbox: 'shop.events', report: () => undefined }

describe('with an SDK', () => {
  const { spans, startSpan } = useSpanRecorder()

  test('request, delivery and consumer are one trace', async () => {
    const request = startSpan('POST /orders', {})
    const traceparent = context.with(trace.setSpan(ROOT_CONTEXT, request), currentTraceparent)
    const { traceId, spanId } = request.spanContext()
    expect(traceparent).toBe(`00-${traceId}-${spanId}-01`)

    let sent: readonly Delivery[] = []
    await withDeliverySpan(shop, [delivery(traceparent)], async (batch) => {
      sent = batch
      expect(currentTraceparent()).toBe(batch[0]!.message.traceparent)
      return [delivered()]
    })
    const { message } = sent[0]!
    const result = await withConsumerSpan(message, consumer, async () => {
      expect(currentTraceparent()).toBe(`00-${traceId}-${spans[2]!.spanId}-01`)
      return 'reserved'
    })

    expect(result).toBe('reserved')
    expect(spans).toMatchObject([
      { name: 'POST /orders' },
      {
        name: 'send orders',
        kind: SpanKind.PRODUCER,
        traceId,
        parent: spanId,
        ended: 1,
        status: undefined,
        attributes: {
          'messaging.system': 'kafka',
          'messaging.destination.name': 'orders',
          'messaging.operation.type': 'send',
          'messaging.operation.name': 'send',
          'messaging.message.id': message.id,
          'posthorn.outbox': 'shop.events',
        },
      },
      {
        name: 'process orders',
        kind: SpanKind.CONSUMER,
        traceId,
        parent: spans[1]!.spanId,
        ended: 1,
        attributes: {
          'messaging.system': 'aws_sqs',
          'messaging.destination.name': 'orders',
          'messaging.operation.type': 'process',
          'messaging.operation.name': 'process',
          'messaging.consumer.group.name': 'stock',
          'messaging.message.id': message.id,
        },
      },
    ])
  })

  test('a batch has a span for each message, with its own parent and outcome', async () => {
    const woken = startSpan('another request', {})
    const batch = [delivery(TRACEPARENT), delivery(), delivery('rubbish')]
    const outcomes = await context.with(trace.setSpan(ROOT_CONTEXT, woken), () =>
      withDeliverySpan(shop, batch, async (sent) => {
        expect(currentTraceparent()).toBeUndefined()
        expect(sent.map(({ message }) => message.id)).toEqual(
          batch.map(({ message }) => message.id),
        )
        expect(new Set(sent.map(({ message }) => message.traceparent)).size).toBe(3)
        return [delivered(), refused({ code: 'TOO_LARGE', message: 'too large' }), delivered()]
      }),
    )
    expect(outcomes.map(({ kind }) => kind)).toEqual(['delivered', 'refused', 'delivered'])
    const [, first, second, third] = spans
    expect(first).toMatchObject({ traceId: TRACE, parent: 'b7ad6b7169203331', status: undefined })
    expect(second).toMatchObject({
      parent: undefined,
      status: { code: SpanStatusCode.ERROR, message: 'too large' },
      attributes: { 'error.type': 'TOO_LARGE' },
    })
    expect(third).toMatchObject({ parent: undefined, ended: 1 })
  })

  test('throws are recorded and thrown on', async () => {
    const error = new Error('no broker')
    const fail = () => Promise.reject(error)
    const batch = [delivery(TRACEPARENT), delivery(TRACEPARENT)]
    await expect(withDeliverySpan(shop, batch, fail)).rejects.toBe(error)
    await expect(withConsumerSpan(batch[0]!.message, consumer, fail)).rejects.toBe(error)
    for (const span of spans) {
      expect(span).toMatchObject({
        ended: 1,
        exceptions: [error],
        status: { code: SpanStatusCode.ERROR, message: 'no broker' },
      })
    }
    expect(spans).toHaveLength(3)
  })

  test.each([
    [TRACEPARENT, TRACE],
    [`cc-${TRACE}-b7ad6b7169203331-01-what-the-future-holds`, TRACE],
    [`ff-${TRACE}-b7ad6b7169203331-01`, undefined],
    [`00-${'0'.repeat(32)}-b7ad6b7169203331-01`, undefined],
    [`00-${TRACE}-0000000000000000-01`, undefined],
    [`00-${TRACE.toUpperCase()}-b7ad6b7169203331-01`, undefined],
    [`00-${TRACE}-b7ad6b7169203331-011`, undefined],
    ['', undefined],
  ])('reads %s as the W3C says', async (traceparent, traceId) => {
    await withConsumerSpan(delivery(traceparent).message, consumer, () => Promise.resolve())
    const { parent, traceId: found } = spans[0]!
    expect(parent).toBe(traceId && 'b7ad6b7169203331')
    expect(found).toBe(traceId ?? found)
  })
})

describe('without an SDK', () => {
  test('the very same batch goes through', async () => {
    for (const batch of [[], [delivery()], [delivery(TRACEPARENT), delivery('rubbish')]]) {
      let sent: readonly Delivery[] | undefined
      const outcomes = batch.map(() => delivered())
      const deliver = (given: readonly Delivery[]) => {
        sent = given
        return Promise.resolve(outcomes)
      }
      expect(await withDeliverySpan(shop, batch, deliver)).toBe(outcomes)
      expect(sent).toBe(batch)
    }
    expect(currentTraceparent()).toBeUndefined()
    expect(
      await withConsumerSpan(delivery(TRACEPARENT).message, consumer, () => Promise.resolve(7)),
    ).toBe(7)
  })

  test('a process does not load the API', async () => {
    const engine = new URL('../internal.ts', import.meta.url).href
    const program = `
      import { createRequire } from 'node:module'
      const { currentTraceparent } = await import('${engine}')
      const loaded = () =>
        Object.keys(createRequire('${engine}').cache).some((file) => file.includes('opentelemetry'))
      const before = [currentTraceparent() === undefined, loaded()]
      globalThis[Symbol.for('opentelemetry.js.api.1')] = { version: '1.10.0' }
      console.log(...before, currentTraceparent() === undefined, loaded())`
    const { stdout } = await promisify(execFile)(process.execPath, [
      '--input-type=module',
      '--eval',
      program,
    ])
    expect(stdout).toBe('true false true true\n')
  })

  test('a bundle that has left the API out goes on without spans', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'posthorn-bundle-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const program = `
      globalThis[Symbol.for('opentelemetry.js.api.1')] = { version: '1.10.0' }
      const { currentTraceparent } = await import('${fileURLToPath(new URL('trace.ts', import.meta.url))}')
      const before = currentTraceparent()
      setTimeout(() => console.log(before, currentTraceparent()), 200)`
    await writeFile(join(folder, 'program.mjs'), program)
    const build = await rolldown({
      input: join(folder, 'program.mjs'),
      external: /opentelemetry.api/,
      platform: 'node',
    })
    await build.write({ dir: join(folder, 'bundle'), format: 'esm' })
    await build.close()
    const bundle = join(folder, 'bundle/program.js')
    const { stdout } = await promisify(execFile)(process.execPath, [bundle])
    expect(stdout).toBe('undefined undefined\n')
  })

  test('costs next to nothing', async () => {
    const batch = Array.from({ length: 100 }, () => delivery(TRACEPARENT))
    const deliver = () => Promise.resolve([])
    for (let n = 0; n < 2_000; n++) await withDeliverySpan(shop, batch, deliver)
    const start = performance.now()
    for (let n = 0; n < 2_000; n++) await withDeliverySpan(shop, batch, deliver)
    // Seen: 3 to 4 µs for a batch of 100. The bound only catches a cost per message, on any machine.
    expect((performance.now() - start) / 2_000).toBeLessThan(0.5)
  })
})

/** Asked by the test instead of at times of its own. */
class Reader extends MetricReader {
  protected async onForceFlush() {}
  protected async onShutdown() {}
}

test('a meter gets the standard metrics of messaging, also without a tracer', async () => {
  const reader = new Reader()
  const provider = new MeterProvider({ readers: [reader] })
  metrics.setGlobalMeterProvider(provider)
  onTestFinished(async () => {
    metrics.disable()
    await provider.shutdown()
  })
  const labelled = {
    ...delivery(),
    destination: { transport: 'webhook', topic: 'endpoint-7', label: 'webhooks' },
  }
  const batch = [delivery(), delivery(), delivery(), labelled]
  const answers = [
    delivered(),
    refused({ code: 'TOO_LARGE', message: 'too large' }),
    // Held back, and so not sent.
    retryLater(new Error('later'), { charge: false }),
    delivered(),
  ]
  await withDeliverySpan(shop, batch, async (_, report) => {
    // Reported and returned, and counted once.
    report(0, delivered())
    return answers
  })
  const broken = async () => Promise.reject(new Error('no broker'))
  await expect(withDeliverySpan(shop, [delivery()], broken)).rejects.toThrow('no broker')
  const messages = batch.map(({ message }) => message)
  await withConsumerSpan(messages[0]!, consumer, async () => undefined)
  await withConsumerSpans(messages.slice(0, 3), consumer, async () => [
    'done',
    { error: new Error('no shelf') },
    'untried',
  ])

  const { resourceMetrics } = await reader.collect()
  const found = resourceMetrics.scopeMetrics.flatMap((scope) =>
    scope.metrics.flatMap(({ descriptor: { name, unit }, dataPoints }) =>
      dataPoints.map(({ value, attributes }) => ({
        ...{ name, unit, attributes },
        count: typeof value === 'number' ? value : (value as { count: number }).count,
      })),
    ),
  )
  const told = (name: string) =>
    found
      .filter((each) => each.name === name)
      .map(({ attributes: a, count, unit }) =>
        [
          a['messaging.system'],
          a['messaging.destination.name'] ?? a['messaging.destination.template'],
          a['messaging.operation.name'],
          a['messaging.consumer.group.name'] ?? '-',
          a['error.type'] ?? 'ok',
          `${count} ${unit}`,
        ].join(' '),
      )
  const sent = (unit: string) => [
    `kafka orders send - ok 1 ${unit}`,
    `kafka orders send - TOO_LARGE 1 ${unit}`,
    `webhook webhooks send - ok 1 ${unit}`,
    `kafka orders send - DELIVERY_FAILED 1 ${unit}`,
  ]
  expect(told('messaging.client.sent.messages')).toEqual(sent('{message}'))
  expect(told('messaging.client.operation.duration')).toEqual(sent('s'))
  const processed = (unit: string) => [
    `aws_sqs orders process stock ok 2 ${unit}`,
    `aws_sqs orders process stock DELIVERY_FAILED 1 ${unit}`,
  ]
  expect(told('messaging.client.consumed.messages')).toEqual(processed('{message}'))
  expect(told('messaging.process.duration')).toEqual(processed('s'))
})
