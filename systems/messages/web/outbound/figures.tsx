import { Group, SimpleGrid, Stack, Text } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import {
  AnchorLink,
  type Answer,
  dataOf,
  everyMs,
  filterOf,
  formatCount,
  formatDuration,
  formatShare,
  HistoryChart,
  Panel,
  QueryState,
  type Stretch,
  useApi,
  useRange,
  type Zoom,
} from '@posthorn/dashboard/kit'
import classes from './figures.module.css'

type FiguresData = Answer<'/api/v1/outbound/messages/figures'>
type Point = FiguresData['points'][number]

/** How messages fared, of one account or of all: how fast, whether they were read, why they failed. */
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
            <Errors {...figures} />
          </Stack>
        )}
      </QueryState>
    </Panel>
  )
}

function Charts({ points }: FiguresData) {
  const navigate = useNavigate()
  const [zoom, setZoom] = useState<Zoom>()
  const linked = { zoom, onZoom: setZoom, syncKey: 'outbound' }
  const show = (more: object) => (stretch: Stretch) =>
    void navigate({ to: '/outbound', search: { ...more, ...filterOf(stretch) } } as never)
  const sum = (field: 'sent' | 'delivered' | 'read' | 'failed') =>
    points.reduce((all, point) => all + point[field], 0)
  const seconds = points.findLast(({ deliverySeconds }) => deliverySeconds.median !== null)
  const at = (value: (point: Point) => number | null) =>
    points.map((point) => ({ at: point.at, value: value(point) }))
  const charts = [
    {
      title: 'Sent',
      points: at(({ sent }) => sent),
      format: formatCount,
      now: formatCount(sum('sent')),
      color: 'blue',
    },
    {
      title: 'Time to delivery, median',
      points: at(({ deliverySeconds }) => deliverySeconds.median),
      format: inSeconds,
      now: seconds === undefined ? '–' : inSeconds(seconds.deliverySeconds.median ?? 0),
      color: 'grape',
    },
    {
      title: 'Read, of those delivered',
      points: at(({ read, delivered }) => (delivered === 0 ? null : read / delivered)),
      format: formatShare,
      now: sum('delivered') === 0 ? '–' : formatShare(sum('read') / sum('delivered')),
      color: 'teal',
    },
    {
      title: 'Failed',
      points: at(({ failed }) => failed),
      format: formatCount,
      now: formatCount(sum('failed')),
      color: 'red',
      more: { status: 'FAILED' },
    },
  ]
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, lg: 4 }} spacing="sm">
      {charts.map(({ more, ...chart }) => (
        <HistoryChart key={chart.title} {...linked} {...chart} onPick={show(more ?? {})} />
      ))}
    </SimpleGrid>
  )
}

/** The provider counts whole seconds. */
function inSeconds(seconds: number): string {
  return seconds < 1 ? `${Math.ceil(seconds)} s` : formatDuration(Math.round(seconds) * 1_000)
}

/** Why messages failed, as bars; each leads to its messages. */
function Errors({ errors }: FiguresData) {
  const most = Math.max(...errors.map(({ count }) => count), 1)
  if (errors.length === 0) return null
  return (
    <div>
      <Text size="xs" c="dimmed" mb={4} id="errors-by-code">
        Failed messages by error code
      </Text>
      <ul className={classes['errors']} aria-labelledby="errors-by-code">
        {errors.map(({ code, count }) => (
          <li key={code}>
            <Group gap="xs" wrap="nowrap">
              <AnchorLink
                size="sm"
                to="/outbound"
                search={{ status: 'FAILED', errorCode: code }}
                className={classes['code']}
              >
                {code}
              </AnchorLink>
              <span className={classes['bar']} aria-hidden>
                <i style={{ width: `${(count / most) * 100}%` }} />
              </span>
              <Text size="sm">{formatCount(count)}</Text>
            </Group>
          </li>
        ))}
      </ul>
    </div>
  )
}
