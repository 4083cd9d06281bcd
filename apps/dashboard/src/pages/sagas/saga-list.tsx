import { useNavigate } from '@tanstack/react-router'
import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import { Empty } from '../../parts/empty.tsx'
import { FilterBar, FilterSelect, FilterText } from '../../parts/filter-bar.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'
import type { Column } from '../../parts/table/column.ts'
import { DataTable } from '../../parts/table/data-table.tsx'
import { useList } from '../../parts/table/list.ts'
import { Time } from '../../parts/time.tsx'
import { oneOf, text, useFilter } from '../../parts/use-filter.ts'
import { SAGA_ROLES, SAGA_STATES, standingOf, type SagaItem } from './saga-state.ts'
import { useSagaChanges } from './use-saga-changes.ts'

const FILTER = { status: oneOf(SAGA_STATES), name: text }

const COLUMNS: readonly Column<SagaItem>[] = [
  {
    id: 'status',
    title: 'State',
    width: '140px',
    cell: ({ status }) => <StateBadge state={status} role={SAGA_ROLES[status]} />,
  },
  { id: 'name', title: 'Saga', width: 'minmax(60px, 1fr)', cell: ({ name }) => name },
  {
    id: 'standing',
    title: 'Progress',
    narrow: 'hidden',
    width: 'minmax(0, 4fr)',
    cell: (saga) => standingOf(saga),
  },
  {
    id: 'error',
    title: 'Error',
    narrow: 'hidden',
    width: 'minmax(0, 1.5fr)',
    cell: ({ error }) => error?.code ?? '–',
  },
  { id: 'at', title: 'Started', width: '108px', cell: ({ createdAt }) => <Time at={createdAt} /> },
]

/** Sagas, newest first. */
export function SagaList() {
  const api = useApi()
  const filter = useFilter(FILTER)
  const navigate = useNavigate()
  const list = useList<SagaItem>({
    queryKey: ['sagas', 'list', filter.values],
    read: (cursor, signal) =>
      dataOf(
        api.GET('/api/v1/sagas', {
          params: { query: { ...filter.values, ...(cursor && { cursor }), limit: 100 } },
          signal,
        }),
      ),
  })
  useSagaChanges(list.rows)
  return (
    <>
      <FilterBar filter={filter}>
        <FilterSelect filter={filter} name="status" label="State" options={SAGA_STATES} />
        <FilterText filter={filter} name="name" label="Saga" />
      </FilterBar>
      <DataTable
        label="Sagas"
        list={list}
        columns={COLUMNS}
        idOf={({ id }) => id}
        onOpen={({ id }) => void navigate({ to: '/sagas/$id', params: { id } } as never)}
        empty={
          <Empty title="No sagas yet">
            Every order starts one, and so does every saga you define.
          </Empty>
        }
        onClearFilter={filter.isSet ? filter.clear : undefined}
      />
    </>
  )
}
