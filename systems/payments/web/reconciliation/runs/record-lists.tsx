import { Stack } from '@mantine/core'
import {
  type Column,
  dataOf,
  useApi,
  column,
  DataTable,
  Empty,
  field,
  FilteredTable,
  Money,
  useFilteredList,
  useListOf,
  useOpened,
  useSelection,
} from '@posthorn/dashboard/kit'
import { BulkActions } from './bulk-actions.tsx'
import { type Reason, REASON_LOOKS, ReasonBadge, REASONS } from './reason.tsx'
import { RecordDrawer } from './record-view.tsx'
import type { Exception, Listed } from './run.ts'

const EXCEPTION_COLUMNS: readonly Column<Exception>[] = [
  { id: 'line', title: 'Line', width: '48px', cell: ({ record }) => record.lineNumber },
  {
    id: 'external',
    title: 'Transaction id',
    width: 'minmax(88px, 1.4fr)',
    cell: ({ record: { externalTransactionId: id } }) => <span title={id}>{id}</span>,
  },
  {
    id: 'reason',
    title: 'Reason',
    width: '130px',
    cell: ({ reason }) => <ReasonBadge reason={reason} />,
  },
  {
    id: 'booked',
    title: 'Booked',
    width: '88px',
    cell: ({ record }) => record.bookedOn,
  },
  column.text('age', 'Age', { order: 'none', width: '52px', narrow: 'hidden' }),
  {
    id: 'suggestions',
    title: 'Suggested',
    width: '76px',
    align: 'right',
    narrow: 'hidden',
    cell: ({ suggestions }) => suggestions || '–',
  },
  {
    id: 'amount',
    title: 'Bank amount',
    width: '104px',
    align: 'right',
    cell: ({ record }) => <Money minor={record.amount} currency={record.currency} />,
  },
  {
    id: 'payment',
    title: 'Our amount',
    width: '104px',
    align: 'right',
    narrow: 'hidden',
    cell: ({ payment }) =>
      payment === null ? '–' : <Money minor={payment.amount} currency={payment.currency} />,
  },
]

const idOfException = ({ record }: Exception) => record.id
const idOfRecord = ({ id }: Listed) => id

interface ExceptionListProps {
  readonly id: string
  readonly narrowed: { readonly tab?: 'suggested'; readonly reason?: Reason }
}

/** Records that need a decision. */
export function ExceptionList({ id, narrowed }: ExceptionListProps) {
  const opened = useOpened()
  const selection = useSelection()
  const list = useListOf(
    '/api/v1/reconciliations/{id}/exceptions',
    ['reconciliation', id, 'exceptions', narrowed],
    { path: { id }, query: narrowed },
  )
  const chosen = list.rows.filter(({ record }) => selection.has(record.id))
  return (
    <Stack gap="sm">
      <BulkActions id={id} chosen={chosen} onDone={selection.clear} />
      <DataTable
        label="Exceptions"
        list={list}
        selection={selection}
        columns={EXCEPTION_COLUMNS}
        idOf={idOfException}
        onOpen={({ record }) => opened.open(record.id)}
        opened={opened.id}
        height="60vh"
        empty={
          narrowed.tab === 'suggested' ? (
            <Empty title="No suggestions">
              “Find suggestions” above searches for payments that nearly match.
            </Empty>
          ) : (
            <Empty title="No open exceptions">No record of this file waits for a decision.</Empty>
          )
        }
      />
      <RecordDrawer runId={id} rows={list.rows} idOf={idOfException} />
    </Stack>
  )
}

const OPTIONS = REASONS.map((reason) => ({ value: reason, label: REASON_LOOKS[reason].word }))
const FILTER = { reason: field.choice('Reason', OPTIONS) }

const RECORD_COLUMNS: readonly Column<Listed>[] = [
  column.text('lineNumber', 'Line', { id: 'line', order: 'none', width: '60px' }),
  column.text('externalTransactionId', 'Transaction id', {
    id: 'external',
    order: 'none',
    width: 'minmax(80px, 1.4fr)',
  }),
  {
    id: 'reason',
    title: 'Reason',
    width: '160px',
    cell: ({ reason }) => <ReasonBadge reason={reason} />,
  },
  column.money('amount', 'Amount', { order: 'none', width: '120px', align: 'right' }),
  column.text('bookedOn', 'Booked', { id: 'booked', order: 'none', width: '110px' }),
  column.text('decidedBy', 'Decided', { id: 'decided', order: 'none', none: '–', width: '90px' }),
]

/** Every record of a file, in its order. */
export function Records({ id }: { id: string }) {
  const api = useApi()
  const opened = useOpened()
  const page = useFilteredList({
    queryKey: ['reconciliation', id, 'records'],
    fields: FILTER,
    columns: RECORD_COLUMNS,
    read: (query, signal) => {
      const params = { path: { id }, query }
      return dataOf(api.GET('/api/v1/reconciliations/{id}/records', { params, signal }))
    },
  })
  return (
    <Stack gap="sm">
      <FilteredTable
        {...page}
        label="Records"
        onOpen={(record) => opened.open(record.id)}
        opened={opened.id}
        height="60vh"
        empty={<Empty title="No records">The file has none.</Empty>}
      />
      <RecordDrawer runId={id} rows={page.list.rows} idOf={idOfRecord} />
    </Stack>
  )
}
