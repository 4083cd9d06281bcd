import { useQuery } from '@tanstack/react-query'
import { useApi } from '../api/api-context.tsx'
import { dataOf } from '../api/client.ts'
import type { paths } from '../api/schema.d.ts'

export type JourneyOfThing =
  paths['/api/v1/journey']['get']['responses']['200']['content']['application/json']

/** All that belongs to the business thing that has this id, and what happened to it. */
export function useJourney(id: string) {
  const api = useApi()
  return useQuery({
    queryKey: ['journey', id],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/api/v1/journey', { params: { query: { id } }, signal })),
  })
}
