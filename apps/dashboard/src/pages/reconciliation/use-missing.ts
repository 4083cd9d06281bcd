import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import { useList, type List } from '../../parts/table/list.ts'
import type { PaymentSide } from './run.ts'

/** Payments that no record of a file names. */
export function useMissing(id: string): List<PaymentSide> {
  const api = useApi()
  return useList<PaymentSide>({
    queryKey: ['reconciliation', id, 'missing'],
    read: (cursor, signal) =>
      dataOf(
        api.GET('/api/v1/reconciliations/{id}/missing', {
          params: { path: { id }, query: { ...(cursor && { cursor }), limit: 100 } },
          signal,
        }),
      ),
  })
}
