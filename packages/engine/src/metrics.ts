export type Labels = Readonly<Record<string, string>>

/** Counters, gauges and durations; the host maps them to Prometheus or OpenTelemetry. */
export interface Metrics {
  count(name: string, by: number, labels: Labels): void
  gauge(name: string, value: number, labels: Labels): void
  /** A duration in milliseconds. */
  observe(name: string, ms: number, labels: Labels): void
}

/** Measures nothing: the default of a library. */
export const noMetrics: Metrics = {
  count: () => undefined,
  gauge: () => undefined,
  observe: () => undefined,
}
