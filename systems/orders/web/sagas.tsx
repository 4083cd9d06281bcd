import { SegmentedControl } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconShoppingCart } from '@tabler/icons-react'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import { BulkActions } from './bulk-actions.tsx'
import { PlaceOrder } from './place-order.tsx'
import { useSagaChanges } from './use-saga-changes.ts'
import {
  type Order,
  ORDER_STATES,
  SAGA_ROLES,
  SAGA_STATES,
  type SagaItem,
  standingOf,
} from './saga-state.ts'
import { Empty } from '../../parts/notice.tsx'
import { FilterSelect, FilterText } from '../../parts/filter-bar.tsx'
import { Money } from '../../parts/money.tsx'
import { PageFrame } from '../../parts/page-frame.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'
import { useTable } from '../../parts/table/layout.ts'
import { useSelection } from '../../parts/table/selection.ts'
import type { Column } from '../../parts/table/data-table.tsx'
import { FilteredTable, useFilteredList } from '../../parts/table/filtered-table.tsx'
import { Time } from '../../parts/time.tsx'
import { oneOf, text } from '../../parts/use-filter.ts'
import { PermittedButton } from '../../parts/permitted.tsx'
import { usePermission } from '../../session/use-permission.ts'

const LISTS = [
  { value: 'orders', label: 'Orders' },
  { value: 'sagas', label: 'Sagas' },
]

/** Orders, and the sagas that carry them through. */
export function Sagas() {
  const { list } = useSearch({ strict: false }) as { list?: string }
  const navigate = useNavigate()
  const [isPlacing, placing] = useDisclosure(false)
  const shown = list === 'sagas' ? 'sagas' : 'orders'
  return (
    <PageFrame
      title="Orders & sagas"
      lead="An order reserves stock, takes a payment and books a shipment, each after the other. If one fails, the others are undone."
      actions={
        <PermittedButton
          to="write"
          leftSection={<IconShoppingCart size={14} aria-hidden />}
          onClick={placing.open}
        >
          Place an order
        </PermittedButton>
      }
    >
      <SegmentedControl
        aria-label="What is listed"
        data={LISTS}
        value={shown}
        // A state of one list is none of the other.
        onChange={(next) =>
          void navigate({
            to: '.',
            search: next === 'orders' ? {} : { list: next },
            replace: true,
          } as never)
        }
        style={{ alignSelf: 'flex-start' }}
      />
      {shown === 'sagas' ? <SagaList /> : <OrderList onPlace={placing.open} />}
      <PlaceOrder isOpen={isPlacing} onClose={placing.close} />
    </PageFrame>
  )
}

const ORDER_FILTER = { status: oneOf(ORDER_STATES) }

const ORDER_COLUMNS: readonly Column<Order>[] = [
  {
    id: 'status',
    title: 'State',
    sortBy: ({ status }) => status,
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
    sortBy: ({ amount }) => amount,
    width: '110px',
    cell: ({ amount, currency }) => <Money minor={amount} currency={currency} />,
  },
  {
    id: 'error',
    title: 'Error',
    sortBy: ({ errorCode }) => errorCode,
    width: 'minmax(0, 1.5fr)',
    cell: ({ errorCode }) => errorCode ?? '–',
  },
  {
    id: 'at',
    title: 'Placed',
    sortBy: ({ createdAt }) => createdAt,
    width: '124px',
    cell: ({ createdAt }) => <Time at={createdAt} clock="business" />,
  },
]

/** Orders, newest first; each opens the saga that carries it through. */
function OrderList({ onPlace }: { onPlace: () => void }) {
  const api = useApi()
  const navigate = useNavigate()
  const { filter, list } = useFilteredList({
    queryKey: ['sagas', 'orders'],
    fields: ORDER_FILTER,
    name: 'orders',
    sorts: { amount: 'amount', at: 'createdAt' },
    read: (query, signal) => dataOf(api.GET('/api/v1/orders', { params: { query }, signal })),
  })
  const table = useTable({ name: 'orders', list, columns: ORDER_COLUMNS })
  useSagaChanges(list.rows)
  return (
    <>
      <FilteredTable
        filter={filter}
        label="Orders"
        {...table}
        idOf={({ id }) => id}
        onOpen={({ sagaId }) =>
          void navigate({ to: '/sagas/$id', params: { id: sagaId } } as never)
        }
        empty={
          <Empty
            title="No orders yet"
            action={
              <PermittedButton to="write" variant="default" mt="xs" onClick={onPlace}>
                Place the first order
              </PermittedButton>
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

const SAGA_FILTER = { status: oneOf(SAGA_STATES), name: text }

const SAGA_COLUMNS: readonly Column<SagaItem>[] = [
  {
    id: 'status',
    title: 'State',
    sortBy: ({ status }) => status,
    width: '140px',
    cell: ({ status }) => <StateBadge state={status} role={SAGA_ROLES[status]} />,
  },
  {
    id: 'name',
    title: 'Saga',
    sortBy: ({ name }) => name,
    width: 'minmax(60px, 1fr)',
    cell: ({ name }) => name,
  },
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
    sortBy: ({ error }) => error?.code,
    width: 'minmax(0, 1.5fr)',
    cell: ({ error }) => error?.code ?? '–',
  },
  {
    id: 'at',
    title: 'Started',
    sortBy: ({ createdAt }) => createdAt,
    width: '108px',
    cell: ({ createdAt }) => <Time at={createdAt} />,
  },
]

/** Sagas, newest first. */
function SagaList() {
  const api = useApi()
  const navigate = useNavigate()
  const selection = useSelection()
  const { isAllowed } = usePermission('operate')
  const { filter, list } = useFilteredList({
    queryKey: ['sagas', 'list'],
    fields: SAGA_FILTER,
    name: 'sagas',
    sorts: { at: 'createdAt' },
    read: (query, signal) => dataOf(api.GET('/api/v1/sagas', { params: { query }, signal })),
  })
  const table = useTable({ name: 'sagas', list, columns: SAGA_COLUMNS })
  useSagaChanges(list.rows)
  return (
    <>
      <FilteredTable
        filter={filter}
        label="Sagas"
        {...table}
        idOf={({ id }) => id}
        {...(isAllowed && { selection })}
        onOpen={({ id }) => void navigate({ to: '/sagas/$id', params: { id } } as never)}
        empty={
          <Empty title="No sagas yet">
            Every order starts one, and so does every saga you define.
          </Empty>
        }
      >
        <FilterSelect filter={filter} name="status" label="State" options={SAGA_STATES} />
        <FilterText filter={filter} name="name" label="Saga" />
        {selection.ids.size > 0 && (
          <BulkActions
            chosen={list.rows.filter(({ id }) => selection.has(id))}
            onDone={(left) => selection.replace(left.map(({ id }) => id))}
          />
        )}
      </FilteredTable>
    </>
  )
}
