import { Button } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import { FilteredTable, useFilteredList } from '../../parts/table/filtered-table.tsx'
import { Empty } from '../../parts/empty.tsx'
import { FilterSelect } from '../../parts/filter-bar.tsx'
import { Money } from '../../parts/money.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'
import type { Column } from '../../parts/table/column.ts'
import { Time } from '../../parts/time.tsx'
import { oneOf } from '../../parts/use-filter.ts'
import { ORDER_STATES, SAGA_ROLES, type Order } from './saga-state.ts'
import { useSagaChanges } from './use-saga-changes.ts'

const FILTER = { status: oneOf(ORDER_STATES) }

const COLUMNS: readonly Column<Order>[] = [
  {
    id: 'status',
    title: 'State',
    width: '132px',
    cell: ({ status }) => <StateBadge state={status} role={SAGA_ROLES[status]} />,
  },
  {
    id: 'items',
    title: 'Items',
    width: 'minmax(100px, 2fr)',
    cell: ({ items }) => items.map(({ sku, quantity }) => `${quantity} × ${sku}`).join(', '),
  },
  {
    id: 'amount',
    title: 'Amount',
    width: '110px',
    cell: ({ amount, currency }) => <Money minor={amount} currency={currency} />,
  },
  {
    id: 'error',
    title: 'Error',
    narrow: 'hidden',
    width: 'minmax(0, 1.5fr)',
    cell: ({ errorCode }) => errorCode ?? '–',
  },
  {
    id: 'at',
    title: 'Placed',
    width: '108px',
    narrow: 'hidden',
    cell: ({ createdAt }) => <Time at={createdAt} />,
  },
]

/** Orders, newest first; each opens the saga that carries it through. */
export function OrderList({ onPlace }: { onPlace: () => void }) {
  const api = useApi()
  const navigate = useNavigate()
  const { filter, list } = useFilteredList({
    queryKey: ['sagas', 'orders'],
    fields: FILTER,
    read: (query, signal) => dataOf(api.GET('/api/v1/orders', { params: { query }, signal })),
  })
  useSagaChanges(list.rows)
  return (
    <>
      <FilteredTable
        filter={filter}
        label="Orders"
        list={list}
        columns={COLUMNS}
        idOf={({ id }) => id}
        onOpen={({ sagaId }) =>
          void navigate({ to: '/sagas/$id', params: { id: sagaId } } as never)
        }
        empty={
          <Empty
            title="No orders yet"
            action={
              <Button variant="default" mt="xs" onClick={onPlace}>
                Place the first order
              </Button>
            }
          >
            Orders placed by <code>POST /api/v1/orders</code> or from here are listed.
          </Empty>
        }
      >
        <FilterSelect filter={filter} name="status" label="State" options={ORDER_STATES} />
      </FilteredTable>
    </>
  )
}
