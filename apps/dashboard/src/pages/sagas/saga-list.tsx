import { useNavigate } from '@tanstack/react-router'
import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import { FilteredTable, useFilteredList } from '../../parts/table/filtered-table.tsx'
import { Empty } from '../../parts/empty.tsx'
import { FilterSelect, FilterText } from '../../parts/filter-bar.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'
import type { Column } from '../../parts/table/column.ts'
import { Time } from '../../parts/time.tsx'
import { oneOf, text } from '../../parts/use-filter.ts'
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
  const navigate = useNavigate()
  const { filter, list } = useFilteredList({
    queryKey: ['sagas', 'list'],
    fields: FILTER,
    read: (query, signal) => dataOf(api.GET('/api/v1/sagas', { params: { query }, signal })),
  })
  useSagaChanges(list.rows)
  return (
    <>
      <FilteredTable
        filter={filter}
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
      >
        <FilterSelect filter={filter} name="status" label="State" options={SAGA_STATES} />
        <FilterText filter={filter} name="name" label="Saga" />
      </FilteredTable>
    </>
  )
}
