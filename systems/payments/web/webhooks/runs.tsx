import {
  type Column,
  dataOf,
  DataTable,
  Empty,
  formatCount,
  SectionFrame,
  Time,
  useApi,
  useFresh,
  useList,
} from '@posthorn/dashboard/kit'
import type { Run } from './webhook.ts'

const count = (id: 'processed' | 'success' | 'failed', title: string): Column<Run> => ({
  id,
  title,
  align: 'right',
  cell: (run) => formatCount(run[id]),
})

const COLUMNS: readonly Column<Run>[] = [
  {
    id: 'at',
    title: 'When',
    width: 'minmax(110px, 1fr)',
    cell: ({ ranAt }) => <Time at={ranAt} clock="business" />,
  },
  count('processed', 'Retried'),
  count('success', 'Delivered'),
  count('failed', 'Failed again'),
]

/** What each run of retries did. */
export function Runs() {
  const api = useApi()
  const list = useList<Run>({
    queryKey: ['webhooks', 'runs'],
    read: (cursor, signal) =>
      dataOf(
        api.GET('/api/v1/webhook-deliveries/runs', {
          params: { query: { ...(cursor && { cursor }), limit: 100 } },
          signal,
        }),
      ),
  })
  useFresh(['webhooks'], (event) => event.kind !== 'announcement')
  return (
    <SectionFrame lead="Failed deliveries are retried when they are due: the results of each run.">
      <DataTable
        label="Retry runs"
        list={list}
        columns={COLUMNS}
        idOf={({ id }) => id}
        empty={
          <Empty title="No retry runs yet">
            A run appears here when a failed delivery has been retried.
          </Empty>
        }
      />
    </SectionFrame>
  )
}
