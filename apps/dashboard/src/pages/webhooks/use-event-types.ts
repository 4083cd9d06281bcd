import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'

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
