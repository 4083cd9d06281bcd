import { Stack, Text } from '@mantine/core'
import { keepPreviousData } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useRead } from '../api/client.tsx'
import { formatDuration, formatRate } from '../format/number.ts'
import { QueryState } from '../parts/layout/notice.tsx'
import { Panel } from '../parts/layout/page-frame.tsx'
import { HeatMap } from './heat-map.tsx'
import {
  codeSeries,
  colorOf,
  filterOf,
  largest,
  type PlotMark,
  type PlotSeries,
  type PlotTimes,
  ratesOf,
  type Stretch,
  timeText,
} from './plot-data.ts'
import { PlotGrid } from './plot.tsx'
import { type Charts, everyMs, marksOf, timesOf, useRange } from './range.tsx'

const MOST_SERIES = 8
const MOST_ROWS = 20
const MOST_MARKS = 4

/** How deliveries went: of one outbox, or of all together. */
export function DeliveryCharts({ outbox }: { outbox?: string }) {
  const { minutes, picker } = useRange()
  const query = useRead('/api/v1/charts', ['charts', outbox ?? '', minutes], {
    params: { query: { minutes, ...(outbox !== undefined && { outbox }) } },
    refetchInterval: everyMs(minutes),
    placeholderData: keepPreviousData,
  })
  return (
    <Panel title="Deliveries over time" actions={picker}>
      <QueryState query={query}>{(charts) => <Plots charts={charts} outbox={outbox} />}</QueryState>
    </Panel>
  )
}

function perMinute(value: number): string {
  return formatRate(value, 'min')
}

function Plots({ charts, outbox }: { charts: Charts; outbox: string | undefined }) {
  const times = useMemo(() => timesOf(charts), [charts])
  const marks = useMemo(() => marksOf(charts), [charts])
  const series = useMemo(
    () => ({
      latency: latencyOf(charts),
      throughput: throughputOf(charts, times, outbox),
      failures: failuresOf(charts, times),
      oldest: oldestOf(charts),
    }),
    [charts, times, outbox],
  )
  const go = useDrillDown(outbox)
  const rows = useMemo(
    () =>
      charts.destinations.slice(0, MOST_ROWS).map((each) => ({
        id: `${each.outbox} ${each.destination}`,
        label: each.name ?? each.destination,
        outbox: each.outbox,
        answered: each.answered,
        unanswered: each.unanswered,
      })),
    [charts],
  )
  return (
    <Stack gap="sm">
      <PlotGrid
        times={times}
        marks={marks}
        cols={2}
        plots={[
          {
            title: 'Delivery latency',
            unit: 'p50, p95, p99, log scale',
            axis: 'log time',
            series: series.latency,
            format: formatDuration,
            onPick: go.messages,
          },
          {
            title: 'Throughput',
            unit: outbox === undefined ? 'delivered a second, by outbox' : 'attempts a second',
            series: series.throughput,
            format: formatRate,
            stacked: true,
            onPick: go.messages,
          },
          {
            title: 'Failures by code',
            unit: 'attempts a minute',
            series: series.failures,
            format: perMinute,
            stacked: true,
            onPick: go.failures,
          },
          {
            title: 'Oldest pending message',
            unit: 'age since its commit',
            axis: 'time',
            series: series.oldest,
            format: formatDuration,
            onPick: go.messages,
          },
        ]}
      />
      <HeatMap
        title="Destinations by outcome"
        rows={rows}
        times={times}
        onPick={(row, stretch) => go.messages(stretch, row.outbox)}
      />
      <Marks marks={marks} times={times} />
    </Stack>
  )
}

/** Goes to the messages that were written in a stretch, or to the failures that happened in it. */
function useDrillDown(outbox: string | undefined) {
  const navigate = useNavigate()
  return {
    messages: (stretch: Stretch, of = outbox) =>
      void navigate({
        to: '/messages',
        search: { ...(of !== undefined && { outbox: of }), ...filterOf(stretch) },
      } as never),
    failures: (stretch: Stretch) =>
      void navigate({
        to: '/audit',
        search: {
          kind: 'transition',
          ...(outbox !== undefined && { outbox }),
          ...filterOf(stretch),
        },
      } as never),
  }
}

function latencyOf({ latency }: Charts): PlotSeries[] {
  return [
    { id: 'p50', label: 'p50', color: 'teal', values: latency.p50 },
    { id: 'p95', label: 'p95', color: 'orange', values: latency.p95 },
    { id: 'p99', label: 'p99', color: 'red', values: latency.p99 },
  ]
}

function throughputOf({ outboxes }: Charts, times: PlotTimes, outbox?: string): PlotSeries[] {
  const own = outbox === undefined ? undefined : outboxes[outbox]
  if (own) {
    const parts = [
      { id: 'delivered', label: 'delivered', color: 'teal', values: own.delivered },
      { id: 'failed', label: 'failed', color: 'orange', values: own.failed },
      { id: 'postponed', label: 'postponed', color: 'gray', values: own.postponed },
      { id: 'dead', label: 'dead', color: 'red', values: own.dead },
    ]
    return parts.map((each) => ({ ...each, values: ratesOf(each.values, times) }))
  }
  return largest(
    Object.entries(outboxes).map(([name, { delivered }], i) => ({
      id: name,
      label: name,
      color: colorOf(i),
      values: ratesOf(delivered, times),
    })),
    MOST_SERIES,
  )
}

function failuresOf({ outboxes }: Charts, times: PlotTimes): PlotSeries[] {
  const byCode = new Map<string, number[]>()
  for (const [code, counts] of Object.values(outboxes).flatMap(({ codes }) =>
    Object.entries(codes),
  )) {
    const known = byCode.get(code)
    byCode.set(code, known ? known.map((n, i) => n + (counts[i] ?? 0)) : counts)
  }
  return codeSeries(
    Object.fromEntries(
      [...byCode].map(([code, counts]) => [code, ratesOf(counts, times, 'minute')]),
    ),
  )
}

function oldestOf({ outboxes }: Charts): PlotSeries[] {
  const most = (values: readonly (number | null)[]) => Math.max(0, ...values.map((n) => n ?? 0))
  return Object.entries(outboxes)
    .map(([name, { oldestUndeliveredSeconds }], i) => ({
      id: name,
      label: name,
      color: colorOf(i),
      values: oldestUndeliveredSeconds.map((age) => (age === null ? null : age * 1_000)),
    }))
    .filter(({ values }) => most(values) > 0)
    .toSorted((one, other) => most(other.values) - most(one.values))
    .slice(0, MOST_SERIES)
}

/** What was done in the time, as words: the lines in the plots have no room for them. */
function Marks({ marks, times }: { marks: readonly PlotMark[]; times: PlotTimes }) {
  if (marks.length === 0) return null
  return (
    <Text size="xs" c="dimmed" component="div">
      <span>▾ </span>
      {marks.length > MOST_MARKS && `${marks.length - MOST_MARKS} earlier · `}
      {marks
        .slice(-MOST_MARKS)
        .map(({ at, text }) => `${timeText(at, times)} ${text}`)
        .join(' · ')}
    </Text>
  )
}
