import {
  everyMs,
  HeatMap,
  Panel,
  QueryState,
  timesOf,
  useRange,
  useRead,
} from '@posthorn/dashboard/kit'
import { keepPreviousData } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import { shortUrl, useEndpoints } from './webhook.ts'

/** Which endpoints answered when: of all, or of one. */
export function EndpointMap({ only }: { only?: string }) {
  const navigate = useNavigate()
  const { minutes, picker } = useRange()
  const endpoints = useEndpoints().data
  const query = useRead('/api/v1/webhook-endpoints/charts', ['webhooks', 'charts', minutes], {
    params: { query: { minutes } },
    refetchInterval: everyMs(minutes),
    placeholderData: keepPreviousData,
  })
  const urls = useMemo(() => new Map(endpoints?.map(({ id, url }) => [id, url])), [endpoints])
  return (
    <Panel title="Answers over time" actions={picker}>
      <QueryState query={query}>
        {(charts) => (
          <HeatMap
            title="Endpoints by outcome"
            times={timesOf(charts)}
            rows={charts.items
              .filter(({ endpointId }) => only === undefined || endpointId === only)
              .map(({ endpointId: id, answered, unanswered }) => ({
                id,
                label: shortUrl(urls.get(id) ?? id),
                answered,
                unanswered,
              }))}
            onPick={({ id }, { from, until }) =>
              void navigate({
                to: '/webhooks/deliveries',
                search: {
                  endpointId: id,
                  since: new Date(from).toISOString(),
                  until: new Date(until).toISOString(),
                },
              } as never)
            }
          />
        )}
      </QueryState>
    </Panel>
  )
}
