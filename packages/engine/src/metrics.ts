export type Labels = Readonly<Record<string, string>>

/** Metrics by name: how each is measured, and what it says. */
export type MetricCatalogue = Readonly<
  Record<string, { readonly kind: 'counter' | 'gauge' | 'histogram'; readonly help: string }>
>

/**
 * Every metric of the engine. `docs/operate/monitoring.md` lists the same names; a test compares
 * both ways.
 */
export const METRICS = {
  posthorn_delivered_total: { kind: 'counter', help: 'Messages delivered by this process' },
  posthorn_failed_total: {
    kind: 'counter',
    help: 'Attempts that were made and ended neither in delivery nor in death',
  },
  posthorn_postponed_total: {
    kind: 'counter',
    help: 'Messages that were claimed and not tried: breaker open, destination busy, key waiting',
  },
  posthorn_dead_total: { kind: 'counter', help: 'Messages that died or were quarantined' },
  posthorn_lost_claims_total: {
    kind: 'counter',
    help: 'Messages that were no longer ours when they were settled',
  },
  posthorn_batch_ms: {
    kind: 'histogram',
    help: 'Milliseconds from claim to settled, for one batch',
  },
  posthorn_claim_ms: { kind: 'histogram', help: 'Milliseconds of a claim that found messages' },
  posthorn_settle_ms: {
    kind: 'histogram',
    help: 'Milliseconds until the outcomes of messages were written',
  },
  posthorn_in_flight: {
    kind: 'gauge',
    help: 'Messages claimed and not settled, as of the last heartbeat',
  },
  posthorn_breakers_open: {
    kind: 'gauge',
    help: 'Destinations that this relay does not try at the moment',
  },
  posthorn_answered_total: {
    kind: 'counter',
    help: 'Messages that a destination took or refused',
  },
  posthorn_unanswered_total: { kind: 'counter', help: 'Messages that a destination did not take' },
  posthorn_delivery_ms: {
    kind: 'histogram',
    help: 'Milliseconds a transport took for one batch',
  },
  posthorn_breaker_open: { kind: 'gauge', help: '1 while the breaker of a destination is open' },
  posthorn_worker_failures: {
    kind: 'gauge',
    help: 'How many times in a row a worker has failed',
  },
  posthorn_retention_removed_total: {
    kind: 'counter',
    help: 'Rows that retention removed or overwrote, by class of data',
  },
  posthorn_retention_oldest_seconds: {
    kind: 'gauge',
    help: 'Age of the oldest row of a class of data that can be removed one day',
  },
} as const satisfies MetricCatalogue

/** The names of one kind in a catalogue. */
export type MetricName<
  Catalogue extends MetricCatalogue,
  Kind extends 'counter' | 'gauge' | 'histogram',
> = {
  [Name in keyof Catalogue]: Catalogue[Name]['kind'] extends Kind ? Name & string : never
}[keyof Catalogue]

/** From a quick local broker to a slow customer: the bounds of histograms, in milliseconds. */
export const DURATION_BUCKETS_MS: readonly number[] = [
  1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 15_000, 60_000,
]

/** Counters, gauges and durations of a catalogue. */
export interface MetricsOf<Catalogue extends MetricCatalogue> {
  count(name: MetricName<Catalogue, 'counter'>, by: number, labels: Labels): void
  gauge(name: MetricName<Catalogue, 'gauge'>, value: number, labels: Labels): void
  /** A duration in milliseconds. */
  observe(name: MetricName<Catalogue, 'histogram'>, ms: number, labels: Labels): void
}

/** Those of the engine: `prometheusMetrics` and `otelMetrics` are ready made, a host may map others. */
export type Metrics = MetricsOf<typeof METRICS>

/** Measures nothing: the default of a library. */
export const noMetrics: Metrics = {
  count: () => undefined,
  gauge: () => undefined,
  observe: () => undefined,
}
