import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import type { paths } from '../../api/schema.d.ts'
import { Empty } from '../../parts/empty.tsx'
import { Json } from '../../parts/json.tsx'
import { QueryState } from '../../parts/query-state.tsx'
import { Time } from '../../parts/time.tsx'
import { Timeline, type TimelineEntry } from '../../parts/timeline.tsx'
import { ProviderNote } from '../../codes/provider-note.tsx'

type Attempt =
  paths['/api/v1/outbound/messages/{id}/attempts']['get']['responses']['200']['content']['application/json']['items'][number]

/** Every time the provider was asked, and what it said. */
export function Attempts({ id }: { id: string }) {
  const api = useApi()
  const query = useQuery({
    queryKey: ['outbound', 'attempts', id],
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/api/v1/outbound/messages/{id}/attempts', {
          params: { path: { id }, query: { limit: 50 } },
          signal,
        }),
      ),
  })
  return (
    <QueryState query={query}>
      {({ items }) =>
        items.length === 0 ? (
          <Empty title="No attempts yet">
            The worker sends the message when it is due; every attempt is recorded here.
          </Empty>
        ) : (
          <Timeline entries={items.map(entryOf)} />
        )
      }
    </QueryState>
  )
}

const OUTCOMES = {
  TRYING: { what: 'under way', role: 'claimed' },
  SUCCESS: { what: 'accepted by the provider', role: 'sent' },
  FAILED: { what: 'failed', role: 'failing' },
} as const

function entryOf(attempt: Attempt): TimelineEntry {
  const { what, role } = OUTCOMES[attempt.status]
  return {
    id: attempt.id,
    at: attempt.createdAt,
    role,
    what: `Attempt ${attempt.attemptNo}: ${what}`,
    details: (
      <>
        {attempt.errorCode !== null && (
          <ProviderNote code={attempt.errorCode} message={attempt.errorMessage} />
        )}
        {attempt.nextRetryAt !== null && (
          <div>
            Tried again <Time at={attempt.nextRetryAt} clock="business" />.
          </div>
        )}
        {attempt.providerResponse !== null && (
          <Json value={attempt.providerResponse} label={`answer to attempt ${attempt.attemptNo}`} />
        )}
      </>
    ),
  }
}
