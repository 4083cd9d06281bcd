import { SegmentedControl } from '@mantine/core'
import {
  because,
  BulkButton,
  type Column,
  column,
  dataOf,
  Empty,
  field,
  FilteredTable,
  formatCount,
  PageFrame,
  post,
  useApi,
  useFilteredList,
  usePermission,
  useSelection,
  withShortIds,
} from '@posthorn/dashboard/kit'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { PlaceOrder } from './place-order.tsx'
import { CHANGED } from './saga-actions.tsx'
import {
  type Order,
  ORDER_STATES,
  SAGA_ROLES,
  SAGA_STATES,
  type SagaItem,
  standingOf,
  useSagaChanges,
} from './saga-state.ts'

const LISTS = [
  { value: 'orders', label: 'Orders' },
  { value: 'sagas', label: 'Sagas' },
]

export function Sagas() {
  const { list } = useSearch({ strict: false }) as { list?: string }
  const navigate = useNavigate()
  const shown = list === 'sagas' ? 'sagas' : 'orders'
  return (
    <PageFrame
      title="Orders & sagas"
      lead="An order reserves stock, takes a payment and books a shipment, each after the other. If one fails, the others are undone."
      actions={<PlaceOrder />}
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
      {shown === 'sagas' ? <SagaList /> : <OrderList />}
    </PageFrame>
  )
}

const ORDER_FILTER = { status: field.choice('State', ORDER_STATES) }

const ORDER_COLUMNS: readonly Column<Order>[] = [
  column.state('status', 'State', { roles: SAGA_ROLES, width: '132px' }),
  {
    id: 'items',
    title: 'Items',
    width: 'minmax(100px, 2fr)',
    cell: ({ items }) => items.map(({ sku, quantity }) => `${quantity} × ${sku}`).join(', '),
  },
  column.money('amount', 'Amount', { width: '110px' }),
  column.text('errorCode', 'Error', { id: 'error', none: '–', width: 'minmax(0, 1.5fr)' }),
  column.time('createdAt', 'Placed', { id: 'at', clock: 'business', width: '124px' }),
]

function OrderList() {
  const api = useApi()
  const navigate = useNavigate()
  const page = useFilteredList({
    queryKey: ['sagas', 'orders'],
    fields: ORDER_FILTER,
    columns: ORDER_COLUMNS,
    name: 'orders',
    sorts: { amount: 'amount', at: 'createdAt' },
    read: (query, signal) => dataOf(api.GET('/api/v1/orders', { params: { query }, signal })),
  })
  useSagaChanges(page.list.rows)
  return (
    <FilteredTable
      {...page}
      label="Orders"
      onOpen={({ sagaId }) => void navigate({ to: '/sagas/$id', params: { id: sagaId } } as never)}
      empty={
        <Empty title="No orders yet">
          Orders placed by <code>POST /api/v1/orders</code> or from here are listed.
        </Empty>
      }
    />
  )
}

const SAGA_FILTER = { status: field.choice('State', SAGA_STATES), name: field.text('Saga') }

const SAGA_COLUMNS: readonly Column<SagaItem>[] = [
  column.state('status', 'State', { roles: SAGA_ROLES, width: '140px' }),
  column.text('name', 'Saga', { width: 'minmax(60px, 1fr)' }),
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
  column.time('createdAt', 'Started', { id: 'at', width: '108px' }),
]

function SagaList() {
  const api = useApi()
  const navigate = useNavigate()
  const selection = useSelection()
  const { isAllowed } = usePermission('operate')
  const page = useFilteredList({
    queryKey: ['sagas', 'list'],
    fields: SAGA_FILTER,
    columns: SAGA_COLUMNS,
    name: 'sagas',
    sorts: { at: 'createdAt' },
    read: (query, signal) => dataOf(api.GET('/api/v1/sagas', { params: { query }, signal })),
  })
  useSagaChanges(page.list.rows)
  return (
    <FilteredTable
      {...page}
      label="Sagas"
      {...(isAllowed && { selection })}
      onOpen={({ id }) => void navigate({ to: '/sagas/$id', params: { id } } as never)}
      empty={
        <Empty title="No sagas yet">
          Every order starts one, and so does every saga you define.
        </Empty>
      }
    >
      {selection.ids.size > 0 && (
        <BulkActions
          chosen={page.list.rows.filter(({ id }) => selection.has(id))}
          onDone={(left) => selection.replace(left.map(({ id }) => id))}
        />
      )}
    </FilteredTable>
  )
}

interface BulkActionsProps {
  readonly chosen: readonly SagaItem[]
  readonly onDone: (left: readonly SagaItem[]) => void
}

/** Actions on the selected sagas. Actions that need data for each saga are on its own page. */
function BulkActions({ chosen, onDone }: BulkActionsProps) {
  const common = {
    to: 'operate',
    nouns: ['saga', 'sagas'],
    changes: CHANGED,
    nameOf: ({ name, id }: SagaItem) => `${name} ${withShortIds(id)}`,
    onDone,
  } as const
  const params = ({ id }: SagaItem) => ({ path: { id } })
  const stuck = chosen.filter(({ status }) => status === 'FAILED')
  const undoing = stuck.filter(({ direction, step }) => direction === 'back' && step !== null)
  return (
    <>
      <BulkButton
        {...common}
        rows={stuck}
        verb="Resume"
        past="resumed"
        reason="optional"
        run={(row, reason) =>
          post('/api/v1/sagas/{id}/resume', { ...params(row), body: because(reason) })
        }
      >
        Each continues at its step, starting again at attempt zero. If the cause persists, they get
        stuck again. Selected sagas that are not stuck are left out.
      </BulkButton>
      <BulkButton
        {...common}
        rows={chosen.filter(isCancellable)}
        verb="Cancel"
        past="cancelled, their steps are undone"
        tone="danger"
        reason="optional"
        run={(row, reason) =>
          post('/api/v1/sagas/{id}/cancel', { ...params(row), body: because(reason) })
        }
      >
        A step in progress ends first. Then all steps are undone, last first: stock is released and
        payments are refunded. Selected sagas that have ended or are being undone are left out.
      </BulkButton>
      <BulkButton
        {...common}
        rows={undoing}
        verb="Skip undoing"
        past="continue without it"
        tone="danger"
        reason="required"
        run={(row, reason = '') =>
          post('/api/v1/sagas/{id}/skip', {
            ...params(row),
            body: { step: row.step ?? '', reason },
          })
        }
      >
        The step that each is stuck at stays as it is, and the steps before it are undone:{' '}
        {stepsOf(undoing)}. Do this if they were undone manually, or need not be undone. Selected
        sagas that are stuck elsewhere, or not at all, are left out.
      </BulkButton>
    </>
  )
}

/** As the server decides: also a saga that failed while it ran, even if it was cancelled before. */
function isCancellable({ direction, status, cancelledAt }: SagaItem): boolean {
  return direction === 'forward' && (cancelledAt === null || status === 'FAILED')
}

/** `pay of 7, ship of 2`. */
function stepsOf(sagas: readonly SagaItem[]): string {
  return [...Map.groupBy(sagas, ({ step }) => step)]
    .map(([step, of]) => `${step ?? 'a step'} of ${formatCount(of.length)}`)
    .join(', ')
}
