import type { Queryable } from '@posthorn/engine'
import { percentile } from '@posthorn/engine/internal'
import { fromRow, type RowOf } from '../from-row.ts'
import {
  selectChartCounts,
  selectChartDetails,
  selectChartMarks,
  selectChartSamples,
  selectDestinationDetails,
  selectLagHistory,
  selectPresent,
  type ChartCountRow,
  type ChartDetailRow,
  type ChartSampleRow,
  type LagRow,
} from './charts.sql.ts'

/** One number for each stretch; null where there is none. */
export type ChartLine = readonly (number | null)[]

export interface LatencyLines {
  readonly p50: ChartLine
  readonly p95: ChartLine
  readonly p99: ChartLine
}

export interface OutboxChart {
  readonly delivered: readonly number[]
  /** Attempts that were made and did not succeed. */
  readonly failed: readonly number[]
  /** Messages that were claimed and not tried. */
  readonly postponed: readonly number[]
  readonly dead: readonly number[]
  readonly waiting: ChartLine
  readonly oldestDueSeconds: ChartLine
  /** Real time since the oldest that is due or was tried was written. */
  readonly oldestUndeliveredSeconds: ChartLine
  /** Milliseconds from commit, or from when it was due, to delivery. */
  readonly latency: LatencyLines
  /** Attempts that failed, by code. */
  readonly codes: Readonly<Record<string, readonly number[]>>
}

export interface DestinationChart {
  readonly outbox: string
  /** `transport:topic`. */
  readonly destination: string
  readonly answered: readonly number[]
  readonly unanswered: readonly number[]
}

/** Something that people or a deployment did and that may explain a change. */
export interface ChartMark {
  readonly at: Date
  readonly kind: 'pause' | 'resume' | 'replay' | 'deploy' | 'clock'
  readonly outbox: string | undefined
  /** The reason of a pause, how many a replay wanted, the version of a deployment, how far a clock was moved. */
  readonly text: string
  readonly actor: string | undefined
}

export interface Stretches {
  readonly now: Date
  /** When the first stretch began. The last one, of `count`, is the present one and not over. */
  readonly from: Date
  readonly stretchSeconds: number
  readonly count: number
}

export interface Charts extends Stretches {
  readonly outboxes: Readonly<Record<string, OutboxChart>>
  /** Of all these outboxes together. */
  readonly latency: LatencyLines
  /** The busiest first, at most 60. */
  readonly destinations: readonly DestinationChart[]
  /** The oldest first. */
  readonly marks: readonly ChartMark[]
}

export interface ConsumerChart {
  readonly topic: string
  readonly group: string
  readonly lag: ChartLine
}

const MOST_MINUTES = 7 * 24 * 60
const MOST_DESTINATIONS = 60

/** Fine enough to see something, few enough to draw: at most 360 stretches. */
function stretchOf(minutes: number): number {
  if (minutes <= 180) return 60
  return minutes <= 24 * 60 ? 300 : 1_800
}

/**
 * What charts of outboxes show of the last minutes, up to seven days. It is made of what relays wrote
 * down once a minute and reads no messages, so it costs the same however many there are.
 */
export async function readCharts(
  db: Queryable,
  outboxes: readonly string[],
  { minutes = 60 }: { minutes?: number } = {},
): Promise<Charts> {
  const stretches = await readStretches(db, minutes)
  const bounds = { outboxes, from: stretches.from, stretchSeconds: stretches.stretchSeconds }
  const [counts, details, samples, marks] = await Promise.all([
    db.query<ChartCountRow>(selectChartCounts(bounds)),
    db.query<ChartDetailRow>(selectChartDetails(bounds)),
    db.query<ChartSampleRow>(selectChartSamples(bounds)),
    db.query<RowOf<ChartMark>>(selectChartMarks(bounds)),
  ])
  const place = placerOf(stretches)
  const rowsOf = { counts: counts.rows, details: details.rows, samples: samples.rows }
  return {
    ...stretches,
    outboxes: Object.fromEntries(outboxes.map((name) => [name, chartOf(name, rowsOf, place)])),
    latency: latencyOf(details.rows, place),
    destinations: destinationsOf(details.rows, place),
    marks: marks.rows.toReversed().map(fromRow<ChartMark>),
  }
}

/** The same of some destinations of one outbox, for those who may see no others. */
export async function readDestinationCharts(
  db: Queryable,
  of: { readonly outbox: string; readonly destinations: readonly string[] },
  { minutes = 60 }: { minutes?: number } = {},
): Promise<Stretches & { readonly destinations: readonly DestinationChart[] }> {
  const stretches = await readStretches(db, minutes)
  const { rows } = await db.query<ChartDetailRow>(selectDestinationDetails(stretches, of))
  return { ...stretches, destinations: destinationsOf(rows, placerOf(stretches)) }
}

/** How far each consumer group was behind: the most of each stretch, with the marks of these outboxes. */
export async function readLagHistory(
  db: Queryable,
  { minutes = 60, outboxes = [] }: { minutes?: number; outboxes?: readonly string[] } = {},
): Promise<
  Stretches & {
    readonly consumers: readonly ConsumerChart[]
    readonly marks: readonly ChartMark[]
  }
> {
  const stretches = await readStretches(db, minutes)
  const { from, stretchSeconds } = stretches
  const [{ rows }, marks] = await Promise.all([
    db.query<LagRow>(selectLagHistory(stretches)),
    db.query<RowOf<ChartMark>>(selectChartMarks({ outboxes, from, stretchSeconds })),
  ])
  const place = placerOf(stretches)
  const groups = Map.groupBy(rows, ({ topic, group_name: group }) => JSON.stringify([topic, group]))
  return {
    ...stretches,
    consumers: [...groups.values()].flatMap((each) => {
      const [first] = each
      if (!first) return []
      const lag = place.line(each, (row) => row.lag)
      return [{ topic: first.topic, group: first.group_name, lag }]
    }),
    marks: marks.rows.toReversed().map(fromRow<ChartMark>),
  }
}

async function readStretches(db: Queryable, wanted: number): Promise<Stretches> {
  const minutes = Math.min(Math.max(Math.trunc(wanted), 1), MOST_MINUTES)
  const stretchSeconds = stretchOf(minutes)
  const { rows } = await db.query<{ now: Date; last: Date }>(selectPresent(stretchSeconds))
  const [present] = rows
  if (!present) throw new TypeError('the statement returned no row')
  const count = Math.max(1, Math.ceil((minutes * 60) / stretchSeconds))
  const from = new Date(present.last.getTime() - (count - 1) * stretchSeconds * 1_000)
  return { now: present.now, from, stretchSeconds, count }
}

interface Placed {
  readonly at: Date
}

/** Puts rows where their stretch is. */
interface Placer {
  line<Row extends Placed>(rows: readonly Row[], pick: (row: Row) => number | null): ChartLine
  sums<Row extends Placed>(rows: readonly Row[], pick: (row: Row) => number): readonly number[]
  group<Row extends Placed>(rows: readonly Row[]): readonly (readonly Row[])[]
}

function placerOf({ from, stretchSeconds, count }: Stretches): Placer {
  const indexOf = ({ at }: Placed) => (at.getTime() - from.getTime()) / (stretchSeconds * 1_000)
  return {
    line(rows, pick) {
      const line = Array.from<number | null>({ length: count }).fill(null)
      for (const row of rows) line[indexOf(row)] = pick(row)
      return line.slice(0, count)
    },
    sums(rows, pick) {
      const line = Array.from<number>({ length: count }).fill(0)
      for (const row of rows) line[indexOf(row)] = (line[indexOf(row)] ?? 0) + pick(row)
      return line.slice(0, count)
    },
    group(rows) {
      const groups = Map.groupBy(rows, indexOf)
      return Array.from({ length: count }, (_, i) => groups.get(i) ?? [])
    },
  }
}

interface Rows {
  readonly counts: readonly ChartCountRow[]
  readonly details: readonly ChartDetailRow[]
  readonly samples: readonly ChartSampleRow[]
}

function chartOf(name: string, { counts, details, samples }: Rows, place: Placer): OutboxChart {
  const isOwn = ({ outbox }: { outbox: string }) => outbox === name
  const counted = counts.filter(isOwn)
  const own = details.filter(isOwn)
  const sampled = samples.filter(isOwn)
  const codes = Map.groupBy(
    own.filter(({ kind }) => kind === 'code'),
    (row) => row.name,
  )
  return {
    delivered: place.sums(counted, (row) => row.delivered),
    failed: place.sums(counted, (row) => row.failed),
    postponed: place.sums(counted, (row) => row.postponed),
    dead: place.sums(counted, (row) => row.dead),
    waiting: place.line(sampled, (row) => row.waiting),
    oldestDueSeconds: place.line(sampled, (row) => row.oldest_due_seconds),
    oldestUndeliveredSeconds: place.line(sampled, (row) => row.oldest_undelivered_seconds),
    latency: latencyOf(own, place),
    codes: Object.fromEntries(
      [...codes].map(([code, rows]) => [code, place.sums(rows, ({ n }) => n)]),
    ),
  }
}

function latencyOf(details: readonly ChartDetailRow[], place: Placer): LatencyLines {
  const stretches = place.group(details.filter(({ kind }) => kind === 'latency')).map((rows) => {
    const counts: Record<string, number> = {}
    for (const { name, n } of rows) counts[name] = (counts[name] ?? 0) + n
    return counts
  })
  const line = (part: number) => stretches.map((counts) => percentile(counts, part) ?? null)
  return { p50: line(0.5), p95: line(0.95), p99: line(0.99) }
}

function destinationsOf(details: readonly ChartDetailRow[], place: Placer): DestinationChart[] {
  const rows = details.filter(({ kind }) => kind === 'answered' || kind === 'unanswered')
  const groups = Map.groupBy(rows, ({ outbox, name }) => JSON.stringify([outbox, name]))
  const total = (each: readonly ChartDetailRow[]) => each.reduce((sum, { n }) => sum + n, 0)
  return [...groups.values()]
    .toSorted((one, other) => total(other) - total(one))
    .slice(0, MOST_DESTINATIONS)
    .flatMap((each) => {
      const [first] = each
      if (!first) return []
      const of = (kind: ChartDetailRow['kind']) =>
        place.sums(
          each.filter((row) => row.kind === kind),
          ({ n }) => n,
        )
      const { outbox, name: destination } = first
      return [{ outbox, destination, answered: of('answered'), unanswered: of('unanswered') }]
    })
}
