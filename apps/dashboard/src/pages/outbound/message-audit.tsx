import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import { QueryState } from '../../parts/query-state.tsx'
import { Timeline } from '../../parts/timeline.tsx'
import { auditEntryOf } from './record.ts'

/** What is on record of a message, newest first. */
export function MessageAudit({ id }: { id: string }) {
  const api = useApi()
  const query = useQuery({
    queryKey: ['outbound', 'audit', id],
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/api/v1/outbound/messages/{id}/audit', {
          params: { path: { id }, query: { limit: 100 } },
          signal,
        }),
      ),
  })
  return (
    <QueryState query={query}>
      {({ items }) => <Timeline entries={items.map(auditEntryOf)} />}
    </QueryState>
  )
}
