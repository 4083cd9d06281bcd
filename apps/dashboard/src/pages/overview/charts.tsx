import { SimpleGrid } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import { HistoryChart } from '../../charts/history-chart.tsx'
import { formatDuration } from '../../format/duration.ts'
import { formatCount } from '../../format/number.ts'
import { QueryState } from '../../parts/query-state.tsx'
import { joined, sum } from './history.ts'

/** The last hour; relays write it down each minute, so asking more often shows nothing new. */
export function useHistory() {
  const api = useApi()
  return useQuery({
    queryKey: ['overview', 'history'],
    queryFn: ({ signal }) => dataOf(api.GET('/api/v1/overview/history', { signal })),
    refetchInterval: 15_000,
  })
}

export function Charts() {
  return (
    <QueryState query={useHistory()}>
      {(history) => (
        <SimpleGrid cols={{ base: 1, sm: 2, xl: 4 }} spacing="sm">
          <HistoryChart
            title="Waiting"
            points={joined(history, ({ waiting }) => waiting, sum)}
            format={formatCount}
            color="blue.6"
          />
          <HistoryChart
            title="Delivered per minute"
            points={joined(history, ({ delivered }) => delivered, sum)}
            format={formatCount}
            color="teal.6"
          />
          <HistoryChart
            title="Oldest due"
            points={joined(
              history,
              ({ oldestDueSeconds }) => oldestDueSeconds,
              (values) => Math.max(...values),
            )}
            format={(seconds) => formatDuration(Math.round(seconds) * 1_000)}
            color="grape.6"
          />
          <HistoryChart
            title="Failed and given up per minute"
            points={joined(history, ({ failed, dead }) => failed + dead, sum)}
            format={formatCount}
            color="red.6"
          />
        </SimpleGrid>
      )}
    </QueryState>
  )
}
