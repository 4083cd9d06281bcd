import { Counter, Gauge, Histogram, register, type Registry } from 'prom-client'
import {
  DURATION_BUCKETS_MS,
  METRICS,
  type Labels,
  type MetricCatalogue,
  type Metrics,
  type MetricsOf,
} from '../metrics.ts'

/**
 * The engine's metrics in a registry of prom-client, by default its global one. Each is made when it is
 * first heard of; several relays of a process share them. `more` are metrics of the host's own.
 */
export function prometheusMetrics<More extends MetricCatalogue = typeof METRICS>(
  registry: Registry = register,
  more?: More,
): Metrics & MetricsOf<More> {
  const catalogue: MetricCatalogue = { ...METRICS, ...more }
  const options = (name: string, labels: Labels) => ({
    name,
    help: catalogue[name]?.help ?? name,
    labelNames: Object.keys(labels),
    registers: [registry],
  })
  // Asked of the registry each time: it may hold them already, and may have been cleared.
  const find = (name: string) => registry.getSingleMetric(name)
  return {
    count(name: string, by: number, labels: Labels) {
      const counter = (find(name) ?? new Counter(options(name, labels))) as Counter
      counter.inc(labels, by)
    },
    gauge(name: string, value: number, labels: Labels) {
      const gauge = (find(name) ?? new Gauge(options(name, labels))) as Gauge
      gauge.set(labels, value)
    },
    observe(name: string, ms: number, labels: Labels) {
      const buckets = [...DURATION_BUCKETS_MS]
      const make = () => new Histogram({ ...options(name, labels), buckets })
      const histogram = (find(name) ?? make()) as Histogram
      histogram.observe(labels, ms)
    },
  }
}
