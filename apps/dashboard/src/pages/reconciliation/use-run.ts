import type { UseMutationResult } from '@tanstack/react-query'
import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import { formatCount } from '../../format/number.ts'
import { useAction } from '../../parts/use-action.ts'

/** Matches the records of a file with the user's payments. */
export function useRun(id: string): UseMutationResult {
  const api = useApi()
  return useAction({
    run: () =>
      dataOf(api.POST('/api/v1/reconciliations/{id}/run', { params: { path: { id } }, body: {} })),
    done: ({ matched, total, matchRate }) =>
      `${formatCount(matched)} of ${formatCount(total)} records are matched: ${matchRate}%.`,
    changes: ['reconciliation'],
  })
}
