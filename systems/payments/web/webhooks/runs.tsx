import {
  type Column,
  column,
  DataTable,
  Empty,
  formatCount,
  SectionFrame,
  useFresh,
  useListOf,
} from '@posthorn/dashboard/kit'
import type { Run } from './webhook.ts'

const count = (id: 'processed' | 'success' | 'failed', title: string): Column<Run> => ({
  id,
  title,
  align: 'right',
  cell: (run) => formatCount(run[id]),
})

const COLUMNS: readonly Column<Run>[] = [
  column.time('ranAt', 'When', {
    id: 'at',
    order: 'none',
    clock: 'business',
    width: 'minmax(110px, 1fr)',
  }),
  count('processed', 'Retried'),
  count('success', 'Delivered'),
  count('failed', 'Failed again'),
]

/** What each run of retries did. */
export function Runs() {
  const list = useListOf('/api/v1/webhook-deliveries/runs', ['webhooks', 'runs'])
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
