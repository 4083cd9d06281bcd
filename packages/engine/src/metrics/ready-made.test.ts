import { metrics } from '@opentelemetry/api'
import { MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics'
import { Registry } from 'prom-client'
import { beforeAll, expect, test } from 'vitest'
import { posthorn } from '../host/posthorn.ts'
import { outbox } from '../host/standard-outbox.ts'
import { silentLog } from '../log.ts'
import { METRICS, type Metrics } from '../metrics.ts'
import { fixed } from '../outbox/retry.ts'
import { testDatabase } from '../testing/index.ts'
import { instrumentOf, otelMetrics } from './otel.ts'
import { prometheusMetrics } from './prometheus.ts'

const events = outbox('shop.outbox', { retry: fixed('1h', { attempts: 2 }) })
const { pool } = await testDatabase()

/** Asked by the test instead of at times of its own. */
class Reader extends MetricReader {
  protected async onForceFlush() {}
  protected async onShutdown() {}
}

function relayWith(given: Metrics) {
  const placed = events.handle({
    placed: async ({ payload }) => {
      if (payload === 'broken') throw new Error('no')
    },
  })
  return posthorn({ pool, handlers: placed, metrics: given, log: silentLog })
}

/** Two messages that are handled and one that fails. */
async function deliver(given: Metrics): Promise<void> {
  const app = relayWith(given)
  await app.transaction(async (tx) => {
    for (const payload of ['one', 'broken', 'two']) await events.enqueue(tx, 'placed', payload)
  })
  await app.runOnce()
}

beforeAll(() => relayWith(prometheusMetrics(new Registry())).setUp())

test('a relay counts in a registry of Prometheus, and two relays share it', async () => {
  const registry = new Registry()
  await deliver(prometheusMetrics(registry))
  await deliver(prometheusMetrics(registry))
  const page = await registry.metrics()
  expect(page).toContain('posthorn_delivered_total{outbox="shop.outbox"} 4\n')
  expect(page).toContain('posthorn_failed_total{outbox="shop.outbox"} 2\n')
  expect(page).toContain(`# HELP posthorn_delivered_total ${METRICS.posthorn_delivered_total.help}`)
  expect(page).toMatch(/posthorn_batch_ms_bucket\{le="60000",outbox="shop\.outbox"\} 2\n/)
})

test("a registry takes the host's own metrics beside them", async () => {
  const registry = new Registry()
  const own = { shop_open: { kind: 'gauge', help: 'Whether the shop is open' } } as const
  const given = prometheusMetrics(registry, own)
  given.gauge('shop_open', 1, {})
  given.gauge('posthorn_breakers_open', 0, { outbox: 'shop.outbox' })
  // @ts-expect-error -- in neither catalogue
  expect(() => given.count('shop_closed', 1, {})).not.toThrow()
  expect(await registry.metrics()).toContain('# HELP shop_open Whether the shop is open\n')
})

test('a relay counts by instruments of OpenTelemetry', async () => {
  const reader = new Reader()
  const provider = new MeterProvider({ readers: [reader] })
  await deliver(otelMetrics(provider.getMeter('test')))
  const { resourceMetrics } = await reader.collect()
  const found = new Map(
    resourceMetrics.scopeMetrics.flatMap((scope) =>
      scope.metrics.map(({ descriptor, dataPoints }) => [
        descriptor.name,
        { unit: descriptor.unit, value: dataPoints[0]?.value, labels: dataPoints[0]?.attributes },
      ]),
    ),
  )
  const labels = { outbox: 'shop.outbox' }
  expect(found.get('posthorn.delivered')).toEqual({ unit: '', value: 2, labels })
  expect(found.get('posthorn.failed')).toEqual({ unit: '', value: 1, labels })
  expect(found.get('posthorn.batch')).toMatchObject({ unit: 'ms', labels, value: { count: 1 } })
  await provider.shutdown()
})

test('without an SDK nothing is measured and nothing fails', async () => {
  expect(metrics.getMeterProvider()).not.toBeInstanceOf(MeterProvider)
  await deliver(otelMetrics())
})

test('exporters to Prometheus give counters and gauges their names again', () => {
  const again = Object.entries(METRICS).map(([name, { kind }]) => {
    const { name: instrument, unit } = instrumentOf(name as keyof typeof METRICS)
    const words = [
      instrument.replace('.', '_'),
      ...(unit ? [{ ms: 'milliseconds', s: 'seconds' }[unit]] : []),
      ...(kind === 'counter' ? ['total'] : []),
    ]
    return [words.join('_'), name.replace(/_ms$/, '_milliseconds')]
  })
  for (const [exported, name] of again) expect(exported).toBe(name)
})
