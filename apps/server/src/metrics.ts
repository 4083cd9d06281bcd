import { type Metrics } from '@posthorn/engine'
import {
  METRICS,
  type Labels,
  type MetricCatalogue,
  type MetricName,
} from '@posthorn/engine/operate'
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'

/** From a quick local broker to a slow customer. */
const BUCKETS_MS = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 15_000, 60_000]

/** What the server measures beside the engine. */
const SERVER_METRICS = {
  posthorn_up: {
    kind: 'gauge',
    help: '1 if the tables could be read; with 0 the gauges about them are old',
  },
  posthorn_messages: { kind: 'gauge', help: 'Messages by state' },
  posthorn_oldest_due_seconds: {
    kind: 'gauge',
    help: 'How long the oldest due message has waited',
  },
  posthorn_relays: { kind: 'gauge', help: 'Relays heard of in the last 15 s' },
  posthorn_paused: { kind: 'gauge', help: '1 while the outbox is paused' },
  posthorn_held_keys: { kind: 'gauge', help: 'Keys that wait behind a failed message' },
  posthorn_blocked_keys: { kind: 'gauge', help: 'Keys that wait behind a dead message' },
  posthorn_quarantined: { kind: 'gauge', help: 'Messages that were set aside' },
  posthorn_delivered_per_second: {
    kind: 'gauge',
    help: 'Messages delivered a second, of a minute',
  },
  posthorn_failure_ratio: {
    kind: 'gauge',
    help: 'Part of the attempts of a minute that failed',
  },
  posthorn_alerts_open: { kind: 'gauge', help: 'Alerts that are not acknowledged' },
  posthorn_consumer_lag: { kind: 'gauge', help: 'Messages that a group has not acknowledged' },
  posthorn_consumer_messages: { kind: 'gauge', help: 'Messages that a consumer set aside' },
  posthorn_payments_oldest_pending_seconds: {
    kind: 'gauge',
    help: 'How long the oldest charge or refund has waited for the word of the gateway',
  },
  posthorn_sagas_oldest_stuck_seconds: {
    kind: 'gauge',
    help: 'How long the oldest saga has been stuck',
  },
  posthorn_database_connections: { kind: 'gauge', help: 'Of the main pool' },
  posthorn_http_request_ms: { kind: 'histogram', help: 'Milliseconds from request to response' },
} as const satisfies MetricCatalogue

/** Every metric that `/metrics` can show of Posthorn. */
export const ALL_METRICS = { ...METRICS, ...SERVER_METRICS }

/** The engine's metrics, and the durations that the server measures itself. */
export interface ServerMetrics extends Metrics {
  observe(name: MetricName<typeof ALL_METRICS, 'histogram'>, ms: number, labels: Labels): void
}

/** A gauge about the tables, with the help of the catalogue. */
export function tableGauge(
  registry: Registry,
  name: MetricName<typeof SERVER_METRICS, 'gauge'>,
  labelNames: readonly string[],
): Gauge {
  const { help } = SERVER_METRICS[name]
  return new Gauge({ name, help, labelNames: [...labelNames], registers: [registry] })
}

/** The engine's metrics in a registry of Prometheus; each is made when it is first heard of. */
export function prometheusMetrics(registry: Registry): ServerMetrics {
  const counters = new Map<string, Counter>()
  const gauges = new Map<string, Gauge>()
  const histograms = new Map<string, Histogram>()
  const options = (name: keyof typeof ALL_METRICS, labels: Labels) => ({
    name,
    help: ALL_METRICS[name].help,
    labelNames: Object.keys(labels),
    registers: [registry],
  })
  return {
    count(name, by, labels) {
      const counter = getOrMake(counters, name, () => new Counter(options(name, labels)))
      counter.inc(labels, by)
    },
    gauge(name, value, labels) {
      getOrMake(gauges, name, () => new Gauge(options(name, labels))).set(labels, value)
    },
    observe(name, ms, labels) {
      const make = () => new Histogram({ ...options(name, labels), buckets: BUCKETS_MS })
      getOrMake(histograms, name, make).observe(labels, ms)
    },
  }
}

function getOrMake<Metric>(known: Map<string, Metric>, name: string, make: () => Metric): Metric {
  const found = known.get(name)
  if (found) return found
  const metric = make()
  known.set(name, metric)
  return metric
}
