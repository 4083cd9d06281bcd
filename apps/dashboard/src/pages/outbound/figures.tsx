import { Group, SimpleGrid, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import type { paths } from '../../api/schema.d.ts'
import { HistoryChart } from '../../charts/history-chart.tsx'
import { formatDuration } from '../../format/duration.ts'
import { formatCount, formatShare } from '../../format/number.ts'
import { AnchorLink } from '../../parts/links.tsx'
import { Panel } from '../../parts/panel.tsx'
import { QueryState } from '../../parts/query-state.tsx'
import classes from './figures.module.css'

type FiguresData =
  paths['/api/v1/outbound/messages/figures']['get']['responses']['200']['content']['application/json']
type Point = FiguresData['points'][number]

/** How the messages of the last day fared: how fast, whether they were read, why they failed. */
export function Figures() {
  const api = useApi()
  const query = useQuery({
    queryKey: ['outbound', 'figures'],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/api/v1/outbound/messages/figures', { params: { query: {} }, signal })),
  })
  return (
    <Panel title="Last 24 hours">
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
  const sum = (field: 'sent' | 'delivered' | 'read' | 'failed') =>
    points.reduce((all, point) => all + point[field], 0)
  const seconds = points.findLast(({ deliverySeconds }) => deliverySeconds.median !== null)
  const at = (value: (point: Point) => number | null) =>
    points.map((point) => ({ at: point.at, value: value(point) }))
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, lg: 4 }} spacing="sm">
      <HistoryChart
        title="Sent"
        points={at(({ sent }) => sent)}
        format={formatCount}
        now={formatCount(sum('sent'))}
        color="blue"
      />
      <HistoryChart
        title="Time to delivery, median"
        points={at(({ deliverySeconds }) => deliverySeconds.median)}
        format={inSeconds}
        now={seconds === undefined ? '–' : inSeconds(seconds.deliverySeconds.median ?? 0)}
        color="grape"
      />
      <HistoryChart
        title="Read, of those delivered"
        points={at(({ read, delivered }) => (delivered === 0 ? null : read / delivered))}
        format={formatShare}
        now={sum('delivered') === 0 ? '–' : formatShare(sum('read') / sum('delivered'))}
        color="teal"
      />
      <HistoryChart
        title="Failed"
        points={at(({ failed }) => failed)}
        format={formatCount}
        now={formatCount(sum('failed'))}
        color="red"
      />
    </SimpleGrid>
  )
}

/** The provider counts whole seconds. */
function inSeconds(seconds: number): string {
  return seconds > 0 && seconds < 1 ? '1 s' : formatDuration(Math.round(seconds) * 1_000)
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
