import {
  everyMs,
  filterOf,
  formatShare,
  HeatMap,
  type ItemOf,
  Panel,
  QueryState,
  StateBadge,
  type StateBadgeProps,
  type StateRole,
  timesOf,
  useRange,
  useRead,
} from '@posthorn/dashboard/kit'
import { keepPreviousData } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'

export type Endpoint = ItemOf<'/api/v1/webhook-endpoints'>
export type Health = ItemOf<'/api/v1/webhook-endpoints/health'>
export type Delivery = ItemOf<'/api/v1/webhook-deliveries'>
export type Attempt = ItemOf<'/api/v1/webhook-deliveries/{id}/attempts'>
export type Run = ItemOf<'/api/v1/webhook-deliveries/runs'>

export const DELIVERY_ROLES: Readonly<Record<Delivery['status'], StateRole>> = {
  pending: 'ready',
  failed: 'retry',
  delivered: 'sent',
  abandoned: 'dead',
  skipped_disabled: 'cancelled',
}
export const DELIVERY_STATES = Object.keys(DELIVERY_ROLES) as Delivery['status'][]

/** Whether it can be replayed: unfinished deliveries are retried by themselves. */
export function isFinished({ status }: Pick<Delivery, 'status'>): boolean {
  return status !== 'pending' && status !== 'failed'
}

/** An attempt's class of error is its code without `WEBHOOK_`, in small letters. */
export function codeOf(errorClass: string): string {
  return /^[a-z_]+$/.test(errorClass) ? `WEBHOOK_${errorClass.toUpperCase()}` : errorClass
}

/** The host and path of an address. */
export function shortUrl(url: string): string {
  return url.replace(/^https?:\/\//, '')
}

/** A merchant has at most 200, which fit into one page. */
const ALL = 200

export function useEndpoints(): readonly Endpoint[] | undefined {
  const params = { query: { limit: ALL } }
  return useRead('/api/v1/webhook-endpoints', ['webhooks', 'endpoints', 'all'], { params }).data
    ?.items
}

/** By the ids of the endpoints. */
export function useHealth(): ReadonlyMap<string, Health> | undefined {
  const { data } = useRead('/api/v1/webhook-endpoints/health', ['webhooks', 'health'], {
    refetchInterval: 10_000,
  })
  return useMemo(() => data && new Map(data.items.map((each) => [each.endpointId, each])), [data])
}

/** The catalogue of events; it changes with the server only. */
export function useEventTypes(): readonly string[] {
  const { data } = useRead('/api/v1/event-types', ['event-types'], {
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: false,
  })
  return data?.items.map(({ type }) => type) ?? []
}

/** Subscriptions: everything, each group, each type. */
export function subscriptionsTo(types: readonly string[]): string[] {
  const groups = new Set(types.map((type) => `${type.split('.')[0]}.*`))
  return ['*', ...groups, ...types]
}

interface EndpointStateProps {
  readonly endpoint: Endpoint
  readonly health: Health | undefined
}

/** The state of an endpoint, in one or two words. */
export function EndpointState(props: EndpointStateProps) {
  return <StateBadge {...lookOf(props)} />
}

function lookOf({ endpoint, health }: EndpointStateProps): StateBadgeProps {
  if (endpoint.status === 'disabled') return { state: 'disabled', role: 'cancelled' }
  if (health?.breakerOpen === true) return { state: 'paused', role: 'dead' }
  const neverSucceeds = endpoint.failingSince !== null || health?.successRate === 0
  if (neverSucceeds) return { state: 'failing', role: 'dead' }
  const isSomeFailing = health !== undefined && health.failing + health.abandoned > 0
  if (isSomeFailing) return { state: 'some failures', role: 'retry' }
  return { state: 'enabled', role: 'confirmed' }
}

/** The label of an endpoint's success rate. */
export const SUCCESS = 'Success, 7 days'

export function showSuccess(health: Health | undefined): string {
  const rate = health?.successRate
  return rate === undefined || rate === null ? '–' : formatShare(rate)
}

/** Answers over time, of all endpoints or of one. */
export function EndpointMap({ only }: { only?: string }) {
  const navigate = useNavigate()
  const { minutes, picker } = useRange()
  const endpoints = useEndpoints()
  const health = useHealth()
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
            share={{ title: SUCCESS, read: ({ id }) => showSuccess(health?.get(id)) }}
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
