import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import type { Endpoint } from './webhook.ts'

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
