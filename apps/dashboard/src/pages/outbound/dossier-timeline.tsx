import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/api-context.tsx'
import { dataOf, type Api } from '../../api/client.ts'
import { ApiProblem } from '../../api/problem.ts'
import { Empty } from '../../parts/empty.tsx'
import { QueryState } from '../../parts/query-state.tsx'
import type { ListPage } from '../../parts/table/list.ts'
import { Timeline } from '../../parts/timeline.tsx'
import { activityEntryOf } from './activity-entry.tsx'
import { auditEntryOf } from './record.ts'

const MOST = 200

/** Activities and audit of a dossier together, newest first. */
export function DossierTimeline({ id }: { id: string }) {
  const api = useApi()
  const query = useQuery({
    queryKey: ['outbound', 'dossier', id, 'timeline'],
    queryFn: ({ signal }) => readTimeline(api, id, signal),
  })
  return (
    <QueryState query={query}>
      {({ entries, isCut }) =>
        entries.length === 0 ? (
          <Empty title="Nothing yet">
            No consent and no messages so far. Grant consent above to begin.
          </Empty>
        ) : (
          <>
            <Timeline entries={entries} />
            {isCut && (
              <Text size="xs" c="dimmed" mt="sm">
                Showing the newest {MOST} of each kind.
              </Text>
            )}
          </>
        )
      }
    </QueryState>
  )
}

async function readTimeline(api: Api, id: string, signal: AbortSignal) {
  const options = { params: { path: { id }, query: { limit: MOST } }, signal }
  const [activities, audit] = await Promise.all([
    orNone(dataOf(api.GET('/api/v1/dossiers/{id}/activities', options))),
    orNone(dataOf(api.GET('/api/v1/dossiers/{id}/audit', options))),
  ])
  const entries = [...activities.items.map(activityEntryOf), ...audit.items.map(auditEntryOf)]
  return {
    entries: entries.toSorted(
      (one, other) => Date.parse(other.at ?? '') - Date.parse(one.at ?? ''),
    ),
    isCut: activities.nextCursor !== null || audit.nextCursor !== null,
  }
}

/** A dossier comes to be with its first consent: before, there is nothing to tell of it. */
async function orNone<Row>(page: Promise<ListPage<Row>>): Promise<ListPage<Row>> {
  try {
    return await page
  } catch (error) {
    if (error instanceof ApiProblem && error.status === 404) return { items: [], nextCursor: null }
    throw error
  }
}
