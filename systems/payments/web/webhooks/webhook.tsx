import {
  dataOf,
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
  useApi,
  useRange,
  useRead,
} from '@posthorn/dashboard/kit'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
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

/** Whether it can be sent again: what is still attempted is sent by itself. */
export function isFinished({ status }: Pick<Delivery, 'status'>): boolean {
  return status !== 'pending' && status !== 'failed'
}

/** An attempt's class of error is its code without `WEBHOOK_`, in small letters. */
export function codeOf(errorClass: string): string {
  return /^[a-z_]+$/.test(errorClass) ? `WEBHOOK_${errorClass.toUpperCase()}` : errorClass
}

/** What an address needs most of: its host and path. */
export function shortUrl(url: string): string {
  return url.replace(/^https?:\/\//, '')
}

/** A merchant has two hundred at the most: one page holds them. */
const ALL = 200

export function useEndpoints() {
  const api = useApi()
  return useQuery({
    queryKey: ['webhooks', 'endpoints', 'all'],
    queryFn: async ({ signal }): Promise<readonly Endpoint[]> => {
      const params = { query: { limit: ALL } }
      return (await dataOf(api.GET('/api/v1/webhook-endpoints', { params, signal }))).items
    },
  })
}

export function useHealth() {
  const api = useApi()
  return useQuery({
    queryKey: ['webhooks', 'health'],
    queryFn: ({ signal }) => dataOf(api.GET('/api/v1/webhook-endpoints/health', { signal })),
    select: ({ items }) => new Map(items.map((health) => [health.endpointId, health])),
    refetchInterval: 10_000,
  })
}

/** The catalogue of events; it changes with the server only. */
export function useEventTypes() {
  const api = useApi()
  return useQuery({
    queryKey: ['event-types'],
    queryFn: async ({ signal }) => (await dataOf(api.GET('/api/v1/event-types', { signal }))).items,
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: false,
  })
}

/** What an endpoint can subscribe to: everything, a group, a type. */
export function subscriptionsTo(types: readonly string[]): string[] {
  const groups = new Set(types.map((type) => `${type.split('.')[0]}.*`))
  return ['*', ...groups, ...types]
}

interface EndpointStateProps {
  readonly endpoint: Endpoint
  readonly health: Health | undefined
}

/** Whether an endpoint gets its events, in one or two words. */
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

/** One figure of an endpoint's success, wherever it stands. */
export const SUCCESS = 'Success, 7 days'

export function showSuccess(health: Health | undefined): string {
  const rate = health?.successRate
  return rate === undefined || rate === null ? '–' : formatShare(rate)
}

/** Which endpoints answered when: of all, or of one. */
export function EndpointMap({ only }: { only?: string }) {
  const navigate = useNavigate()
  const { minutes, picker } = useRange()
  const endpoints = useEndpoints().data
  const health = useHealth().data
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
