import { useQueries } from '@tanstack/react-query'
import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import { ApiProblem } from '../../api/problem.ts'
import type { paths } from '../../api/schema.d.ts'

type Found =
  paths['/api/v1/outboxes/{name}/dead-letters']['get']['responses']['200']['content']['application/json']['items'][number]

/** Dead messages of one outbox that were given up for the same reason. */
export interface DeadGroup extends Found {
  readonly outbox: string
}

/** What narrows the dead; every field may be missing. */
export interface DeadFilter {
  readonly code?: string
  readonly type?: string
  readonly tenant?: string
  readonly since?: string
  readonly until?: string
}

export interface DeadGroups {
  readonly groups: readonly DeadGroup[]
  readonly isLoading: boolean
  readonly error: Error | null
  reload(): void
}

/** The dead messages of these outboxes by error code, the most frequent first. */
export function useDeadGroups(outboxes: readonly string[], filter: DeadFilter): DeadGroups {
  const api = useApi()
  return useQueries({
    queries: outboxes.map((name) => ({
      queryKey: ['dead-letters', 'groups', name, filter],
      queryFn: async ({ signal }: { signal: AbortSignal }): Promise<DeadGroup[]> => {
        const params = { path: { name }, query: filter }
        const asked = dataOf(api.GET('/api/v1/outboxes/{name}/dead-letters', { params, signal }))
        const { items } = await asked.catch((error: unknown) => noneIfUnkept(error))
        return items.map((group) => ({ ...group, outbox: name }))
      },
    })),
    combine: (queries) => ({
      groups: queries
        .flatMap(({ data }) => data ?? [])
        .toSorted((one, other) => other.count - one.count),
      isLoading: queries.some(({ isPending, error }) => isPending && error === null),
      error: queries.find(({ data, error }) => data === undefined && error !== null)?.error ?? null,
      reload: () => queries.forEach(({ refetch }) => void refetch()),
    }),
  })
}

/** An outbox that keeps no such field has no message that matches. */
function noneIfUnkept(error: unknown): { items: Found[] } {
  if (error instanceof ApiProblem && error.code === 'VALIDATION_FAILED') return { items: [] }
  throw error
}
