import type { Metrics } from '../metrics.ts'
import { addCount, type Counts } from './attempt/counts.ts'
import type { PaceFigures } from './session/session.sql.ts'
import { latencyBucket, percentile } from './tally.ts'

/** What the figures are about. */
const SPAN_MS = 60_000

/** A part of the span: its figures begin and end so much too early or too late. */
const SLICE_MS = 1_000

/** Of 100 claims, so many are not slower than the time that is shown. */
const PART = 0.95

interface Times {
  readonly counts: Counts
  longestMs: number
}

interface Slice {
  readonly at: number
  settled: number
  readonly claims: Times
  readonly settles: Times
}

/** Measures the claims and settles of one outbox. */
export class Pace {
  readonly #metrics: Metrics
  readonly #labels: { readonly outbox: string }
  readonly #now: () => number
  #slices: Slice[] = []

  constructor(outbox: string, metrics: Metrics, now = () => performance.now()) {
    this.#labels = { outbox }
    this.#metrics = metrics
    this.#now = now
  }

  /** A claim that found messages. */
  claimed(sinceMs: number): void {
    const ms = this.#now() - sinceMs
    note(this.#slice().claims, ms)
    this.#metrics.observe('posthorn_claim_ms', ms, this.#labels)
  }

  /** Outcomes that were written. */
  settled(messages: number, sinceMs: number): void {
    const ms = this.#now() - sinceMs
    const slice = this.#slice()
    slice.settled += messages
    note(slice.settles, ms)
    this.#metrics.observe('posthorn_settle_ms', ms, this.#labels)
  }

  /** Undefined where there is nothing to say. */
  figures(inFlight: number): PaceFigures | undefined {
    this.#forget()
    this.#metrics.gauge('posthorn_in_flight', inFlight, this.#labels)
    if (this.#slices.length === 0 && inFlight === 0) return undefined
    const claimMs = summarise(this.#slices.map(({ claims }) => claims))
    const settleMs = summarise(this.#slices.map(({ settles }) => settles))
    return {
      settled: this.#slices.reduce((sum, { settled }) => sum + settled, 0),
      inFlight,
      ...(claimMs !== undefined && { claimMs }),
      ...(settleMs !== undefined && { settleMs }),
    }
  }

  #slice(): Slice {
    const at = Math.floor(this.#now() / SLICE_MS) * SLICE_MS
    const last = this.#slices.at(-1)
    if (last?.at === at) return last
    this.#forget()
    const slice = { at, settled: 0, claims: noTimes(), settles: noTimes() }
    this.#slices.push(slice)
    return slice
  }

  #forget(): void {
    const since = this.#now() - SPAN_MS
    if ((this.#slices[0]?.at ?? since) < since) {
      this.#slices = this.#slices.filter(({ at }) => at >= since)
    }
  }
}

function noTimes(): Times {
  return { counts: {}, longestMs: 0 }
}

function note(times: Times, ms: number): void {
  addCount(times.counts, String(latencyBucket(ms)))
  times.longestMs = Math.max(times.longestMs, ms)
}

function summarise(slices: readonly Times[]): number | undefined {
  const all: Counts = {}
  for (const { counts } of slices) {
    for (const [bucket, n] of Object.entries(counts)) addCount(all, bucket, n)
  }
  const ms = percentile(all, PART)
  // Buckets are wide: of few measurements the longest is nearer to the truth.
  const longest = Math.max(...slices.map(({ longestMs }) => longestMs))
  return ms === undefined ? undefined : Math.round(Math.min(ms, longest) * 10) / 10
}
