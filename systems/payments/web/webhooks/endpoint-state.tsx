import {
  everyMs,
  filterOf,
  HeatMap,
  Panel,
  QueryState,
  StateBadge,
  type StateBadgeProps,
  timesOf,
  useRange,
  useRead,
} from '@posthorn/dashboard/kit'
import { type Endpoint, type Health, shortUrl, useEndpoints } from './webhook.ts'
import { keepPreviousData } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'

interface EndpointStateProps {
  readonly endpoint: Endpoint
  readonly health: Health | undefined
}

/** Below this, most of what is attempted fails. */
const MOSTLY_FAILS = 0.5

/** Whether an endpoint gets its events, in one or two words. */
export function EndpointState(props: EndpointStateProps) {
  return <StateBadge {...lookOf(props)} />
}

function lookOf({ endpoint, health }: EndpointStateProps): StateBadgeProps {
  if (endpoint.status === 'disabled') return { state: 'disabled', role: 'cancelled' }
  if (health?.breakerOpen === true) return { state: 'paused', role: 'dead' }
  const rate = health?.successRate ?? null
  if (rate !== null && rate < MOSTLY_FAILS) return { state: 'failing', role: 'dead' }
  const isSomeFailing = health !== undefined && health.failing + health.abandoned > 0
  if (isSomeFailing) return { state: 'some failures', role: 'retry' }
  return { state: 'enabled', role: 'confirmed' }
}

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
            onPick={({ id }, stretch) =>
              void navigate({
                to: '/webhooks/deliveries',
                search: { endpointId: id, ...filterOf(stretch) },
              } as never)
            }
          />
        )}
      </QueryState>
    </Panel>
  )
}
