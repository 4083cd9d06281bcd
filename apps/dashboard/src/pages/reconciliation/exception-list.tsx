import { useApi } from '../../api/api-context.tsx'
import { dataOf } from '../../api/client.ts'
import { Empty } from '../../parts/empty.tsx'
import { Money } from '../../parts/money.tsx'
import type { Column } from '../../parts/table/column.ts'
import { DataTable } from '../../parts/table/data-table.tsx'
import { useList } from '../../parts/table/list.ts'
import { useOpened } from '../../parts/use-opened.ts'
import type { Reason } from './reason.ts'
import { ReasonBadge } from './reason-badge.tsx'
import type { Exception } from './run.ts'

const COLUMNS: readonly Column<Exception>[] = [
  { id: 'line', title: 'Line', width: '60px', cell: ({ record }) => record.lineNumber },
  {
    id: 'external',
    title: 'Transaction id',
    width: 'minmax(80px, 1.4fr)',
    cell: ({ record: { externalTransactionId: id } }) => <span title={id}>{id}</span>,
  },
  {
    id: 'reason',
    title: 'Reason',
    width: '150px',
    cell: ({ reason }) => <ReasonBadge reason={reason} />,
  },
  {
    id: 'booked',
    title: 'Booked',
    width: '100px',
    narrow: 'hidden',
    cell: ({ record }) => record.bookedOn,
  },
  { id: 'age', title: 'Age', width: '64px', narrow: 'hidden', cell: ({ age }) => age },
  {
    id: 'suggestions',
    title: 'Suggested',
    width: '84px',
    align: 'right',
    narrow: 'hidden',
    cell: ({ suggestions }) => suggestions || '–',
  },
  {
    id: 'amount',
    title: 'Bank amount',
    width: '110px',
    align: 'right',
    narrow: 'hidden',
    cell: ({ record }) => <Money minor={record.amount} currency={record.currency} />,
  },
  {
    id: 'payment',
    title: 'Our amount',
    width: '110px',
    align: 'right',
    narrow: 'hidden',
    cell: ({ payment }) =>
      payment === null ? '–' : <Money minor={payment.amount} currency={payment.currency} />,
  },
]

interface ExceptionListProps {
  readonly id: string
  readonly narrowed: { readonly tab?: 'suggested'; readonly reason?: Reason }
}

/** Records that need a decision. */
export function ExceptionList({ id, narrowed }: ExceptionListProps) {
  const api = useApi()
  const opened = useOpened()
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
  return (
    <DataTable
      label="Exceptions"
      list={list}
      columns={COLUMNS}
      idOf={({ record }) => record.id}
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
  )
}
