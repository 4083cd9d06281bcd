import type { Metrics } from '@posthorn/engine'
import {
  METRICS,
  type MetricCatalogue,
  type MetricName,
  type MetricsOf,
} from '@posthorn/engine/internal'
import { Gauge, type Registry } from 'prom-client'

/** What the server measures beside the engine. */
export const SERVER_METRICS = {
  posthorn_up: {
    kind: 'gauge',
    help: '1 if the tables could be read; with 0 the gauges about them are old',
  },
  posthorn_messages: { kind: 'gauge', help: 'Messages by state' },
  posthorn_waiting: {
    kind: 'gauge',
    help: 'Messages that wait, by the reason: due, retrying, postponed, scheduled',
  },
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
  posthorn_database_connections: { kind: 'gauge', help: 'Of the main pool' },
  posthorn_http_request_ms: { kind: 'histogram', help: 'Milliseconds from request to response' },
} as const satisfies MetricCatalogue

/** Every metric that `/metrics` can show of Posthorn. */
export const ALL_METRICS = { ...METRICS, ...SERVER_METRICS }

/** The engine's metrics, and what the server measures itself. */
export type ServerMetrics = Metrics & MetricsOf<typeof SERVER_METRICS>

/** A gauge about the tables, with the help of the catalogue. */
export function tableGauge(
  registry: Registry,
  name: MetricName<typeof SERVER_METRICS, 'gauge'>,
  labelNames: readonly string[],
): Gauge {
  const { help } = SERVER_METRICS[name]
  return new Gauge({ name, help, labelNames: [...labelNames], registers: [registry] })
}
