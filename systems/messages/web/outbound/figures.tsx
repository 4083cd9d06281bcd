import { Stack } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import {
  AnchorLink,
  type Answer,
  type Column,
  column,
  dataOf,
  DataTable,
  everyMs,
  filterOf,
  formatCount,
  formatDuration,
  formatShare,
  Panel,
  PlotGrid,
  QueryState,
  useApi,
  useRange,
} from '@posthorn/dashboard/kit'

type FiguresData = Answer<'/api/v1/outbound/messages/figures'>
type Point = FiguresData['points'][number]

/** Delivery time, read rate and failures, of one account or of all. */
export function Figures({ account }: { account?: string }) {
  const api = useApi()
  const { minutes, picker } = useRange()
  const query = useQuery({
    queryKey: ['outbound', 'figures', account ?? '', minutes],
    queryFn: ({ signal }) => {
      const since = new Date(Date.now() - minutes * 60_000).toISOString()
      const params = { query: { since, ...(account !== undefined && { account }) } }
      return dataOf(api.GET('/api/v1/outbound/messages/figures', { params, signal }))
    },
    refetchInterval: everyMs(minutes),
    placeholderData: keepPreviousData,
  })
  return (
    <Panel title="Messages over time" actions={picker}>
      <QueryState query={query}>
        {(figures) => (
          <Stack gap="sm">
            <Charts {...figures} />
            {figures.errors.length > 0 && (
              <DataTable
                label="Failed messages by error code"
                list={figures.errors}
                columns={ERROR_COLUMNS}
                idOf={({ code }) => code}
              />
            )}
          </Stack>
        )}
      </QueryState>
    </Panel>
  )
}

function Charts({ points }: FiguresData) {
  const navigate = useNavigate()
  const times = useMemo(() => timesOf(points), [points])
  const plots = useMemo(() => plotsOf(points), [points])
  return (
    <PlotGrid
      times={times}
      cols={4}
      plots={plots.map(({ only, ...plot }) => ({
        ...plot,
        onPick: (stretch) =>
          void navigate({ to: '/outbound', search: { ...only, ...filterOf(stretch) } } as never),
      }))}
    />
  )
}

const HOUR_MS = 3_600_000

function timesOf(points: readonly Point[]) {
  const [from = 0, second = from + HOUR_MS] = points.map(({ at }) => Date.parse(at))
  const stretchMs = second - from
  return { from, stretchMs, count: points.length, now: from + stretchMs * points.length }
}

function plotsOf(points: readonly Point[]) {
  const sum = (field: 'sent' | 'delivered' | 'read' | 'failed') =>
    points.reduce((all, point) => all + point[field], 0)
  const median = points.findLast(({ deliverySeconds }) => deliverySeconds.median !== null)
  const one = (color: string, value: (point: Point) => number | null) => [
    { id: 'value', label: '', color, values: points.map(value) },
  ]
  return [
    {
      title: 'Sent',
      unit: formatCount(sum('sent')),
      series: one('blue', ({ sent }) => sent),
      format: formatCount,
    },
    {
      title: 'Time to delivery, median',
      unit: inSeconds(median?.deliverySeconds.median ?? null),
      series: one('grape', ({ deliverySeconds }) => deliverySeconds.median),
      format: inSeconds,
    },
    {
      title: 'Read, of those delivered',
      unit: sum('delivered') === 0 ? '–' : formatShare(sum('read') / sum('delivered')),
      series: one('teal', ({ read, delivered }) => (delivered === 0 ? null : read / delivered)),
      format: formatShare,
    },
    {
      title: 'Failed',
      unit: formatCount(sum('failed')),
      series: one('red', ({ failed }) => failed),
      format: formatCount,
      only: { status: 'FAILED' },
    },
  ]
}

/** The provider counts whole seconds. */
function inSeconds(seconds: number | null): string {
  if (seconds === null) return '–'
  return seconds < 1 ? `${Math.ceil(seconds)} s` : formatDuration(Math.round(seconds) * 1_000)
}

const ERROR_COLUMNS: readonly Column<FiguresData['errors'][number]>[] = [
  {
    id: 'code',
    title: 'Failed by error code',
    width: 'minmax(120px, 3fr)',
    cell: ({ code }) => (
      <AnchorLink size="sm" to="/outbound" search={{ status: 'FAILED', errorCode: code }}>
        {code}
      </AnchorLink>
    ),
  },
  column.count('count', 'Messages'),
]
