import { useQuery, type UseQueryResult } from '@tanstack/react-query'
import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import type { Profile } from './rules.ts'

/** The profiles of the organisation to choose from, the newest hundred. */
export function useProfiles(): UseQueryResult<readonly Profile[]> {
  const api = useApi()
  return useQuery({
    queryKey: ['reconciliation-profiles', 'choice'],
    queryFn: async ({ signal }) => {
      const params = { query: { limit: 100 } }
      const page = await dataOf(api.GET('/api/v1/reconciliation-profiles', { params, signal }))
      return page.items
    },
  })
}
