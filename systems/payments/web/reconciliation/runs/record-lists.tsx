import { Stack } from '@mantine/core'
import {
  type Column,
  dataOf,
  DataTable,
  Empty,
  FilteredTable,
  FilterSelect,
  Money,
  oneOf,
  useApi,
  useFilter,
  useList,
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
  { id: 'age', title: 'Age', width: '52px', narrow: 'hidden', cell: ({ age }) => age },
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
  const api = useApi()
  const opened = useOpened()
  const selection = useSelection()
  const list = useList<Exception>({
    queryKey: ['reconciliation', id, 'exceptions', narrowed],
    read: (cursor, signal) =>
      dataOf(
        api.GET('/api/v1/reconciliations/{id}/exceptions', {
          params: { path: { id }, query: { ...narrowed, ...(cursor && { cursor }), limit: 100 } },
          signal,
        }),
      ),
  })
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

const FILTER = { reason: oneOf(REASONS) }
const OPTIONS = REASONS.map((reason) => ({ value: reason, label: REASON_LOOKS[reason].word }))

const RECORD_COLUMNS: readonly Column<Listed>[] = [
  { id: 'line', title: 'Line', width: '60px', cell: ({ lineNumber }) => lineNumber },
  {
    id: 'external',
    title: 'Transaction id',
    width: 'minmax(80px, 1.4fr)',
    cell: ({ externalTransactionId: id }) => <span title={id}>{id}</span>,
  },
  {
    id: 'reason',
    title: 'Reason',
    width: '160px',
    cell: ({ reason }) => <ReasonBadge reason={reason} />,
  },
  {
    id: 'amount',
    title: 'Amount',
    width: '120px',
    align: 'right',
    cell: ({ amount, currency }) => <Money minor={amount} currency={currency} />,
  },
  {
    id: 'booked',
    title: 'Booked',
    width: '110px',
    cell: ({ bookedOn }) => bookedOn,
  },
  {
    id: 'decided',
    title: 'Decided',
    width: '90px',
    cell: ({ decidedBy }) => decidedBy ?? '–',
  },
]

/** Every record of a file, in its order. */
export function Records({ id }: { id: string }) {
  const api = useApi()
  const filter = useFilter(FILTER)
  const opened = useOpened()
  const list = useList<Listed>({
    queryKey: ['reconciliation', id, 'records', filter.values],
    read: (cursor, signal) =>
      dataOf(
        api.GET('/api/v1/reconciliations/{id}/records', {
          params: {
            path: { id },
            query: { ...filter.values, ...(cursor && { cursor }), limit: 100 },
          },
          signal,
        }),
      ),
  })
  return (
    <Stack gap="sm">
      <FilteredTable
        filter={filter}
        label="Records"
        list={list}
        columns={RECORD_COLUMNS}
        idOf={idOfRecord}
        onOpen={(record) => opened.open(record.id)}
        opened={opened.id}
        height="60vh"
        empty={<Empty title="No records">The file has none.</Empty>}
      >
        <FilterSelect filter={filter} name="reason" label="Reason" options={OPTIONS} />
      </FilteredTable>
      <RecordDrawer runId={id} rows={list.rows} idOf={idOfRecord} />
    </Stack>
  )
}
