import { expect, test } from 'vitest'
import { METRICS, noMetrics } from './metrics.ts'

test('a metric that is in no catalogue, or of another kind, does not compile', () => {
  // @ts-expect-error -- no such metric
  noMetrics.count('posthorn_delivered', 1, {})
  // @ts-expect-error -- a counter, not a gauge
  noMetrics.gauge('posthorn_delivered_total', 1, {})
  noMetrics.count('posthorn_delivered_total', 1, {})
  expect(METRICS.posthorn_delivered_total.kind).toBe('counter')
})

test('names say what is counted: totals are counters, milliseconds histograms', () => {
  for (const [name, { kind, help }] of Object.entries(METRICS)) {
    const ending = { counter: /_total$/, histogram: /_ms$/, gauge: /(?<!_total|_ms)$/ }[kind]
    expect(name).toMatch(ending)
    expect(help).not.toBe('')
  }
})
