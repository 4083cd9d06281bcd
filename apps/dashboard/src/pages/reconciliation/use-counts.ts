import { useQuery, type UseQueryResult } from '@tanstack/react-query'
import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import type { Exceptions } from './run.ts'

/** How many exceptions of a file there are on each tab, of each reason and age. */
export function useCounts(id: string): UseQueryResult<Exceptions['counts']> {
  const api = useApi()
  return useQuery({
    queryKey: ['reconciliation', id, 'counts'],
    queryFn: async ({ signal }) => {
      const params = { path: { id }, query: { limit: 1 } }
      const { counts } = await dataOf(
        api.GET('/api/v1/reconciliations/{id}/exceptions', { params, signal }),
      )
      return counts
    },
  })
}
