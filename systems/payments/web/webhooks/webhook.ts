import { dataOf, type ItemOf, type StateRole, useApi } from '@posthorn/dashboard/kit'
import { useQuery } from '@tanstack/react-query'

export type Endpoint = ItemOf<'/api/v1/webhook-endpoints'>
export type Health = ItemOf<'/api/v1/webhook-endpoints/health'>
export type Delivery = ItemOf<'/api/v1/webhook-deliveries'>
export type Attempt = ItemOf<'/api/v1/webhook-deliveries/{id}/attempts'>
export type Run = ItemOf<'/api/v1/webhook-deliveries/runs'>

export const DELIVERY_STATES = [
  'pending',
  'failed',
  'delivered',
  'abandoned',
  'skipped_disabled',
] as const

export const DELIVERY_ROLES: Readonly<Record<Delivery['status'], StateRole>> = {
  pending: 'ready',
  failed: 'retry',
  delivered: 'sent',
  abandoned: 'dead',
  skipped_disabled: 'cancelled',
}

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
