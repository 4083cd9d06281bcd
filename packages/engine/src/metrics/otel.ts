import { metrics, type Counter, type Gauge, type Histogram, type Meter } from '@opentelemetry/api'
import { DURATION_BUCKETS_MS, METRICS, type Metrics } from '../metrics.ts'

/**
 * The engine's metrics as instruments of OpenTelemetry, by default of the meter that the SDK of the
 * process gives: call it after that one has started.
 */
export function otelMetrics(meter: Meter = metrics.getMeter('@posthorn/engine')): Metrics {
  const counters = new Map<string, Counter>()
  const gauges = new Map<string, Gauge>()
  const histograms = new Map<string, Histogram>()
  return {
    count(name, by, labels) {
      const { name: instrument, ...options } = instrumentOf(name)
      getOrMake(counters, name, () => meter.createCounter(instrument, options)).add(by, labels)
    },
    gauge(name, value, labels) {
      const { name: instrument, ...options } = instrumentOf(name)
      getOrMake(gauges, name, () => meter.createGauge(instrument, options)).record(value, labels)
    },
    observe(name, ms, labels) {
      const { name: instrument, ...options } = instrumentOf(name)
      const advice = { explicitBucketBoundaries: [...DURATION_BUCKETS_MS] }
      const make = () => meter.createHistogram(instrument, { ...options, advice })
      getOrMake(histograms, name, make).record(ms, labels)
    },
  }
}

const UNITS: Readonly<Record<string, string>> = { _total: '', _ms: 'ms', _seconds: 's' }

/**
 * `posthorn_delivered_total` is `posthorn.delivered`, `posthorn_batch_ms` is `posthorn.batch` in ms:
 * kind and unit are no part of a name here, and exporters to Prometheus add them again.
 */
export function instrumentOf(name: keyof typeof METRICS): {
  name: string
  description: string
  unit?: string
} {
  const ending = Object.keys(UNITS).find((each) => name.endsWith(each)) ?? ''
  const stem = ending === '' ? name : name.slice(0, -ending.length)
  const unit = UNITS[ending] ?? ''
  const description = METRICS[name].help
  return {
    name: stem.replace('posthorn_', 'posthorn.'),
    description,
    ...(unit !== '' && { unit }),
  }
}

function getOrMake<Instrument>(
  known: Map<string, Instrument>,
  name: string,
  make: () => Instrument,
): Instrument {
  const found = known.get(name)
  if (found) return found
  const instrument = make()
  known.set(name, instrument)
  return instrument
}
