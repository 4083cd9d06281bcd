import type { Labels, Metrics } from '@posthorn/engine'
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'

/** From a quick local broker to a slow customer. */
const BUCKETS_MS = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 15_000, 60_000]

/** What a metric means, for Prometheus' HELP line. */
const HELP: Readonly<Record<string, string>> = {
  posthorn_delivered_total: 'Messages delivered by this process',
  posthorn_failed_total: 'Attempts that did not end in delivery or death',
  posthorn_dead_total: 'Messages that died or were quarantined',
  posthorn_lost_claims_total: 'Messages that were no longer ours when they were settled',
  posthorn_batch_ms: 'Milliseconds from claim to settled, for one batch',
  posthorn_breakers_open: 'Destinations that this relay does not try at the moment',
  posthorn_answered_total: 'Messages that a destination took or refused',
  posthorn_unanswered_total: 'Messages that a destination did not take',
  posthorn_delivery_ms: 'Milliseconds a transport took for one batch',
  posthorn_breaker_open: '1 while the breaker of a destination is open',
  posthorn_http_request_ms: 'Milliseconds from request to response',
}

/** The engine's metrics in a registry of Prometheus; each is made when it is first heard of. */
export function prometheusMetrics(registry: Registry): Metrics {
  const counters = new Map<string, Counter>()
  const gauges = new Map<string, Gauge>()
  const histograms = new Map<string, Histogram>()
  const options = (name: string, labels: Labels) => ({
    name,
    help: HELP[name] ?? name,
    labelNames: Object.keys(labels),
    registers: [registry],
  })
  return {
    count(name, by, labels) {
      const counter = made(counters, name, () => new Counter(options(name, labels)))
      counter.inc(labels, by)
    },
    gauge(name, value, labels) {
      made(gauges, name, () => new Gauge(options(name, labels))).set(labels, value)
    },
    observe(name, ms, labels) {
      const make = () => new Histogram({ ...options(name, labels), buckets: BUCKETS_MS })
      made(histograms, name, make).observe(labels, ms)
    },
  }
}

function made<Metric>(known: Map<string, Metric>, name: string, make: () => Metric): Metric {
  const found = known.get(name)
  if (found) return found
  const metric = make()
  known.set(name, metric)
  return metric
}
